# ruff: noqa: E501 - one line for each language
"""Words by which facts and noise are recognised, in the larger languages of the web.

Each entry is a space-separated list; `*` at the end of a word stands for any ending, `_` for a space. Languages
written without spaces are matched anywhere in the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

MONTHS: Final = (
    "jan* feb* mar* apr* may jun* jul* aug* sep* oct* nov* dec* "  # English
    "jän* mär* mai okt* dez* "  # German
    "janv* févr* fevr* mars avr* juin juil* août aout déc* "  # French
    "ene* enero abr* mayo junio julio ago* agosto setiem* octubre dic* "  # Spanish
    "gen* magg* giu* lug* sett* ott* "  # Italian
    "fev* março maio junho julho set* out* dez* "  # Portuguese
    "mei maart augustus "  # Dutch
    "stycz* lut* marc* kwie* maj* czerw* lip* sierp* wrze* paźdz* listop* grud* "  # Polish
    "led* únor* břez* dub* květ* červ* srp* září říj* list* pros* "  # Czech
    "янв* фев* мар* апр* мая май июн* июл* авг* сен* окт* ноя* дек* "  # Russian
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık "  # Turkish
    "januari februari april augusti oktober "  # Swedish
    "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"  # Arabic
)
# Names of months that mean nothing else, for dates without a day or with one that is written apart from it.
MONTH_NAMES: Final = (
    "january february april june july august september october november december "
    "januar februar märz juni juli oktober dezember jänner janvier février mars avril juin juillet août septembre octobre "
    "novembre décembre enero febrero abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre janeiro fevereiro março maio junho julho "
    "setembro outubro novembro dezembro januari februari maart mei augustus stycznia lutego kwietnia maja czerwca lipca "
    "sierpnia września października listopada grudnia января февраля марта апреля мая июня июля августа сентября октября "
    "ноября декабря ledna února března dubna května června července srpna září října listopadu prosince "
    "augusti desember helmikuu* maaliskuu* huhtikuu* toukokuu* kesäkuu* heinäkuu* elokuu* syyskuu* lokakuu* marraskuu* "
    "joulukuu* tammikuu* ocak şubat nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık"
)
# Small numbers written out, but for those that are articles too.
NUMBER_WORDS: Final = (
    "single double triple two-storey single-storey two three four five six seven eight nine ten eleven twelve fourteen fifteen twenty thirty forty fifty sixty ninety hundred "
    "second third fourth fifth sixth seventh eighth ninth tenth "
    "zweite* dritte* vierte* fünfte* sechste* siebte* achte* neunte* zehnte* deuxième troisième quatrième cinquième "
    "twice three_times weekly monthly daily fortnightly annually quarterly "
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf vierzehn zwanzig dreißig hundert wöchentlich monatlich "
    "deux trois quatre cinq sept huit dix onze douze quatorze quinze vingt trente "
    "dos tres cuatro cinco seis siete ocho nueve diez doce quince veinte treinta cien "
    "tre quattro cinque sette otto nove dieci dodici quindici venti trenta cento "
    "dois duas três quatro sete oito dez doze quinze vinte trinta "
    "twee drie vier vijf zes zeven acht negen tien twaalf veertien twintig dertig honderd wekelijks maandelijks "
    "dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć dwanaście czternaście dwadzieścia trzydzieści "
    "två tre fyra fem sju åtta nio tio tolv fjorton tjugo trettio hundra "
    "два три четыре пять шесть семь восемь девять десять двенадцать четырнадцать двадцать тридцать сто "
    "двух двое трёх трех трое четырёх четырех пяти шести семи восьми девяти десяти двадцати тридцати "
    "dwóch trzech czterech pięciu sześciu siedmiu ośmiu dziewięciu dziesięciu "
    "kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen két három négy öt hét nyolc kilenc tíz "
    "fem seks syv åtte elleve tolv dvě tři čtyři pět šest sedm osm devět deset dva "
    "iki üç dört beş altı yedi sekiz dokuz on_iki yirmi otuz yüz"
)
DAYS_ANYWHERE: Final = (
    "月曜 火曜 水曜 木曜 金曜 土曜 日曜 月・ 火・ 水・ 木・ 金・ 土・ 日・ 星期一 星期二 星期三 星期四 星期五 星期六 星期日 周一 周二 周三 "
    "周四 周五 周六 周日 월요일 화요일 수요일 목요일 금요일 토요일 일요일 평일 주말 첫째 둘째 셋째 넷째"
)
WEEKDAYS: Final = (
    "mon monday mondays tue tues tuesday tuesdays wed wednesday wednesdays thu thur thurs thursday thursdays fri friday fridays sat "
    "saturday saturdays sunday sundays weekday weekdays weekend weekends "
    "montag* dienstag* mittwoch* donnerstag* freitag* samstag* sonnabend* sonntag* feiertag* werktag* "
    "lundi* mardi* mercredi* jeudi* vendredi* samedi* dimanche* lunes martes miércoles jueves viernes sábado* domingo* "
    "lunedì martedì mercoledì giovedì venerdì sabato sabati domenica domeniche "
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira segunda terça quarta quinta sexta "
    "maandag* dinsdag* woensdag* donderdag* vrijdag* zaterdag* zondag* "
    "poniedział* wtorek wtorki środa środy czwartek czwartki piątek piątki sobota soboty sobót* niedziel* "
    "måndag* tisdag* onsdag* torsdag* fredag* lördag* söndag* "
    "понедельник* вторник* сред* четверг* пятниц* суббот* воскресень* пн вт чт пт сб вс "
    "pazartesi salı çarşamba perşembe cuma cumartesi pazar الأحد الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت"
)
CURRENCIES: Final = (
    "eur euro euros usd dollar dollars gbp pound pounds pence chf franken francs sek nok dkk kr kronor pln zł złotych "
    "złoty czk kč rub руб рублей inr rs rupees jpy yen cny rmb krw brl reais mxn pesos aud cad try tl lira ریال درهم "
    "ريال درهم دينار cent cents ct"
)
CURRENCY_SIGNS: Final = "$€£¥₹₽₩₺₪฿₫₴₱"
UNITS: Final = (
    "kg g mg lb lbs oz t km m cm mm mi ft in m² m2 km² qm sqm sq_ft ha l ml cl gal kwh kw mw w v mah gb mb tb gbit mbit "
    "mbps fps hz khz mhz ghz px °c °f c f bar hpa mph km/h kmh kn bpm kcal "
    "minute* min hour* hrs std stunde* heure* hora* ore uur uren godz* час* day* tag* jour* día* dias dia giorn* dag* "
    "dni дн* week* woche* semaine* semana* settiman* weken tygod* недел* month* monat* mois mes meses mesi maand* "
    "miesi* месяц* year* jahr* an ans année* año* anno anni ano anos jaar lat rok* лет год* room* zimmer pièce* "
    "person* people seat* plätze place* guest* spot* credit* ects point* punkt* page* seiten word* zeichen bed* bath* "
    "gün* ay hafta* yıl* saat* kişi* "
    "employee* staff vacanc* position* stück pcs piece* item* pack* user* licen* seats gäste personnes personas"
)
# Where somebody lives or works: a number with the name of a street, or a postal code as some countries write it.
_STREETS: Final = (
    "Street|St|Road|Rd|Avenue|Ave|Drive|Dr|Lane|Ln|Boulevard|Blvd|Court|Ct|Place|Square|Terrace|Parkway|Pkwy|Highway|Hwy|Way"
    "|Close|Crescent|Row|Quay|Broadway|Suite|Floor"
)
POSTAL_ADDRESS: Final = (
    rf"(?-i:(?<![\w.,])\d{{1,5}}[A-Za-z]?,?\s(?:[A-Z][\w.'’-]{{0,20}}\s){{1,3}}(?:{_STREETS})\b\.?)"
    r"|(?-i:(?:^|(?<=[\s,(]))[A-ZÄÖÜÅØ][\w-]{2,30}(?:straße|strasse|str\.|gasse|allee|weg|platz|damm|ufer|straat|laan|plein"
    r"|gracht|kade|vägen|gatan|gata|vej|veien|katu)\s\d{1,4}\s?[a-z]?(?![\w:]|[.,]\d)(?!\s?(?:km|m|min)\b))"
    r"|(?<![\w.,])\d{1,4}(?:\s?(?:bis|ter))?,?\s(?:rue|avenue|boulevard|bd|place|chemin|quai|allée|impasse)(?:\s[\w’'-]{1,20}){1,4}"
    r"|\b(?:calle|avenida|plaza|paseo|via|viale|piazza|corso|rua|praça|ul\.|al\.|os\.|ул\.|улица|проспект|пр\.)"
    r"\s?[\w’'. -]{2,40}?,?\s(?:n[.º°o]{1,2}\s?|д\.\s?)?\d{1,4}(?![\w.,:]\d)"
    r"|(?-i:\b[A-Z]{2}\s\d{5}(?:-\d{4})?\b|\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b|〒\s?\d{3}-\d{4})"
)
CONTACT: Final = "ext extension durchwahl poste tel tél phone call fax telefon* téléphone teléfono mobile hotline ring whatsapp telefoon тел тел. هاتف"
DEADLINE: Final = (
    "deadline* due closes closing until till by before expires expiry apply submit register last_day no_later_than "
    "frist* bis spätestens bewerbungsschluss anmeldeschluss einsendeschluss abgabe gültig jusqu* avant clôture limite "
    "date_limite hasta antes plazo cierre vence entro scadenza fino termine_ultimo até prazo encerra* "
    "tot uiterlijk sluit* do termin* najpóźniej срок до_ не_позднее ends ending start* begin* effective valid"
)
STATUS: Final = (
    # English
    "open opens opened reopened closed closes shut available unavailable in_stock out_of_stock sold sold_out stock backorder "
    "preorder pre-order discontinued cancelled canceled postponed rescheduled delayed suspended resumed confirmed unconfirmed "
    "withdrawn filled expired active inactive retired deprecated archived final draft pending approved refused rejected accepted "
    "passed failed full waitlist waiting_list booked reserved occupied rented let_agreed under_offer sale_agreed full-time "
    "part-time online offline on-site remote hybrid free elected resigned appointed vacant winner won lost live ended starts "
    "operational degraded outage disruption resolved investigating maintenance enabled disabled yes recruiting completed "
    "in_progress in_preparation coming_soon out_of_print in_print low_stock beta alpha stable unstable experimental obsolete superseded missing "
    "revoked repealed amended retracted in_force pre-release prerelease questionable "
    "terminated lifted banned safe unsafe contaminated polluted passable impassable blocked cleared flooded injured "
    "warning alert advisory watch severe extreme moderate considerable high low medium red amber orange yellow green "
    # German
    "offen offene offenen geöffnet geöffnete öffnet geschlossen geschlossene schließt verfügbar* lieferbar* ausverkauft vergriffen "
    "abgesagt* verschoben* entfällt bestätigt frei freie belegt* ausgebucht vermietet* verkauft* reserviert* gesperrt* freigegeben "
    "befahrbar unbefahrbar abgelaufen besetzt* gültig ungültig auf_lager nicht_lieferbar ja nein eingestellt verlängert beendet "
    "in_arbeit in_vorbereitung in_planung in_kraft aufgehoben* demnächst vermisst kostenlos* kostenpflichtig* gebührenfrei warteliste warnung entwarnung hoch mäßig erheblich groß gering niedrig rot gelb grün "
    # French
    "ouvert ouverte ouverts ouvertes fermé fermée fermés fermées rouvert disponible disponibles indisponible* épuisé épuisée rupture "
    "annulé annulée annulés reporté reportée reportés maintenu maintenue complet complète complets loué louée vendu vendue réservé "
    "réservée gratuit gratuite gratuits payant* oui en_stock suspendu suspendue clos close terminé terminée prolongé pourvu pourvue "
    "en_vigueur abrogé abrogée en_cours en_préparation bientôt sous_compromis sous_offre exclusivité liste_d'attente vigilance rouge orange jaune vert verte "
    # Spanish
    "abiert* cerrad* agotad* cancelad* aplazad* suspendid* vendid* alquilad* reservad* gratuit* sí complet* disponible* plazas "
    "derogad* en_curso en_preparación próximamente pospuest* ampliad* finalizad* vigente* lista_de_espera rojo roja naranja amarill* verde "
    # Italian
    "apert* chius* disponibil* esaurit* annullat* rinviat* sospes* vendut* affittat* prenotat* confermat* conclus* scadut* attiv* "
    "abrogat* in_vigore in_corso in_preparazione prossimamente rosso rossa arancione giallo gialla "
    # Portuguese
    "abert* fechad* disponív* esgotad* adiad* suspens* encerrad* prorrogad* lotad* em_falta vagas gratuit* concluíd* vermelho laranja "
    "amarelo sim em_andamento em_curso em_breve revogad* em_vigor "
    # Dutch
    "open gesloten dicht beschikbaar onbeschikbaar uitverkocht afgelast uitgesteld volgeboekt vol verhuurd verkocht gereserveerd vervuld "
    "in_voorbereiding binnenkort wachtlijst ja nee gratis op_voorraad rood oranje geel groen "
    # Polish
    "otwart* zamknięt* czynn* nieczynn* dostępn* niedostępn* wyprzedan* odwołan* przełożon* wstrzyman* sprzedan* wynajęt* zarezerwowan* "
    "w_toku w_przygotowaniu wkrótce rozstrzygnięt* zakończon* przedłużon* bezpłatn* odpłatn* brak tak kolejka dobra zła dobry zły rezerwacja nieaktualn* "
    # Russian
    "открыт* закрыт* доступ* недоступ* отмен* перенес* перенос* нет_в_наличии в_наличии продан* сдан* заброниров* мест_нет да приостановл* "
    "в_работе в_разработке скоро завершен* завершён* продлен* продлён* бесплатн* платн* действует работает "
    # Swedish, Norwegian, Danish, Finnish
    "öppen öppet öppna stängd stängt stängda tillgänglig* slut slutsåld* inställd* uppskjut* fullbokad* bokad* såld* uthyrd* kostnadsfri* "
    "väntelista ledig* åpen åpent åpne stengt lukket utsolgt avlyst utsatt fullbooket opptatt solgt leid åben åbent udsolgt aflyst udskudt "
    "optaget solgt innstilt* i_rute i_drift forsinket forsinkel* försenad* i_trafik åbent lukkede myöhässä voimassa avoinna auki suljettu kiinni loppuunmyyty peruttu siirretty saatavilla varattu myyty vapaa täynnä "
    # Czech, Slovak, Hungarian
    "otevřen* zavřen* uzavřen* dostupn* nedostupn* vyprodán* vyprodan* zrušen* odložen* přesunut* obsazen* rezervov* prodán* prodan* "
    "pronajat* skladem raktáron nyitva zárva elfogyott elmarad törölve foglalt eladva szabad betelt "
    # Turkish, Arabic
    "açık kapalı iptal ertelendi tükendi stokta mevcut dolu مفتوح مغلق متاح غير_متاح ملغى مؤجل نفد أحمر برتقالي أصفر أخضر إنذار تحذير"
)
STATUS_ANYWHERE: Final = (
    "在庫あり 在庫切れ 在庫なし 品切れ 売り切れ 完売 販売中 受付中 受付終了 中止 延期 開催 休館 休業 営業中 満席 空席 募集中 募集終了 予約 残り 終了 任意 推奨 義務 自愿 强制 권장 의무 "
    "有货 缺货 售罄 已售 取消 延期 推迟 关闭 开放 报名截止 已满 招聘中 已结束 有効 无效 有效 満室 空室 成約 預り 가능 품절 마감 취소 연기"
)
# What is said, whatever the words: “must not”, “is forbidden” and “may not” all say no.
OBLIGATION: Final = {
    "not": (
        "not no never none neither nor without cannot can't don't doesn't didn't isn't aren't won't wasn't weren't mustn't shouldn't "
        "hasn't haven't hadn't wouldn't couldn't needn't "
        "prohibited forbidden banned non-refundable "
        "nicht kein keine keinen keiner keinem keinerlei nie niemals ohne weder verboten untersagt unzulässig "
        "pas jamais aucun aucune sans interdit interdite interdits interdites ni "
        "no nunca ningún ninguna sin prohibido prohibida prohibidos prohibidas "
        "non mai nessun nessuna nessuno senza né vietato vietata vietati "
        "não nunca nenhum nenhuma sem nem proibido proibida "
        "niet geen nooit zonder noch verboden "
        "nie bez nigdy żaden żadna zabronion* wzbronion* zabrania "
        "не нет никогда без ни запрещ* нельзя "
        "inte ej ingen inget inga aldrig utan förbjudet förbjuden "
        "ikke ingen intet aldri aldrig uden uten forbudt ei eivät älä kielletty ilman nem nincs tilos sem "
        "není nejsou nesmí nesmějí nelze zakázáno zakázán* bez nikdy žádn* "
        "لا ليس لم لن يمنع ممنوع بدون değil yok olmaz yasak hayır"
    ),
    "must": (
        "must shall required requires require mandatory compulsory obliged obligatory essential "
        "muss müssen verpflichtet verpflichtend pflicht erforderlich vorgeschrieben zwingend "
        "doit doivent devez obligatoire obligatoires exigé exigée requis requise "
        "debe deben deberá deberán obligatorio obligatoria obligatorios obligatorias exige "
        "deve devono obbligatorio obbligatoria obbligatori obrigatório obrigatória devem "
        "moet moeten verplicht verplichte vereist musi muszą wymagan* obowiązk* konieczn* "
        "должен должны обязан* обязательн* необходим* måste skall obligatorisk* krävs skal må påkrevd påkrævet "
        "täytyy pakollinen kötelező kell musí musejí povinn* nutn* vyžad* يجب zorunlu gerekli"
    ),
    "may": (
        "allowed permitted entitled refundable erlaubt gestattet zulässig darf dürfen autorisé autorisée autorisés autorisées admis "
        "admise permitido permitida permitidos admiten permesso permessa consentito consentita ammessi toegestaan mag mogen "
        "dozwolon* przysługuje разреш* можно tillåtet tillåten tillatt tilladt sallittu megengedett povolen* مسموح يُسمح serbest"
    ),
    "need not": (
        "optional voluntary recommended advised desirable preferred freiwillig wünschenswert empfohlen optional recommandé recommandée conseillé conseillée "
        "facultatif facultative opcional recomendado recomendada aconsejable voluntario voluntaria facoltativo facoltativa "
        "consigliato consigliata raccomandato raccomandata facultativo facultativa aconselhável voluntário "
        "aanbevolen aangeraden vrijwillig optioneel zalecan* dobrowoln* frivillig* rekommendera* anbefal* nemusí nemusejí "
        "nepovinn* doporuč* рекоменду* добровольн* suositel* vapaaehtoi* ajánlott önkéntes"
    ),
    "only": (
        "only exclusively except unless nur ausschließlich außer seulement uniquement sauf solo sólo únicamente salvo "
        "soltanto esclusivamente tranne apenas somente exceto alleen uitsluitend behalve tylko wyłącznie oprócz только кроме "
        "endast bara utom kun unntatt undtagen vain paitsi csak kivéve pouze jen kromě فقط sadece hariç"
    ),
}
OBLIGATION_ANYWHERE: Final = {
    "not": "不可 禁止 ません できない 不得 不能 不 无 금지 없음 없습니다",
    "must": "必須 義務 必须 强制 필수 의무",
    "need not": "不要 任意 推奨 自愿 无需 권장",
    "only": "のみ 限り 除外 仅限 만",
    "may": "できます 可能 可以 允许 허용",
}
ROLES: Final = (
    "mr mrs ms dr prof professor sir dame mayor minister director manager head chair chairman chairwoman chairperson "
    "president secretary treasurer officer ceo cto cfo coo principal headteacher teacher coach captain editor author "
    "speaker keynote organiser organizer instructor supervisor counsel judge commissioner clerk councillor "
    "candidate winner host librarian lecturer dean registrar lead maintainer "
    "herr frau bürgermeister* leiter* direktor* vorsitz* präsident* schulleit* trainer* referent* ansprechpartner* ansprechperson* "
    "m. mme monsieur madame maire directeur directrice président présidente responsable proviseur "
    "señor señora sr sra alcalde alcaldesa director directora presidente presidenta responsable entrenador "
    "signor signora dott sindaco sindaca direttore direttrice presidente allenatore "
    "prefeito diretor diretora treinador burgemeester directeur voorzitter burmistrz dyrektor prezes trener "
    "kontaktperson* contactpersoon ing mgr bc mudr judr phdr phd dipl.-ing mevrouw heer pan pani pán paní ředitel* starost* "
    "lektor universitetslektor docent adjunkt rektor* ordförande kursansvarig kontorist handläggare "
    "wissenschaftlich* dozent dozentin sachbearbeiter* geschäftsführ* beauftragte* koordinator* coordinator coordinatrice "
    "coordinador* coordenador* coördinator referente maître maîtresse chargé chargée "
    "директор мэр председатель тренер руководитель مدير رئيس عميد başkan müdür"
)
STAMP: Final = (
    "updated update last_update last_updated last_modified modified generated retrieved refreshed rendered as_of data_version "
    "just_now copyright revision timestamp checked cached printed last_edited last_edit "
    "última_vez última_edición última_edição última_modificação ultima_modifica ultima_revisione ostatnia_zmiana "
    "ostatnia_modyfikacja ostatnio_edytowan* naposledy senast_ändrad senast_uppdaterad sidst_opdateret sist_oppdatert "
    "laatst_bewerkt laatst_gewijzigd dernière_modification zuletzt_bearbeitet "
    "aktualisiert zuletzt geändert erstellt abgerufen letzte_änderung "
    "généré générée consultado consultada wygenerowan* generado generada generato gegenereerd genererad* "
    "mis_à_jour mise_à_jour modifié actualisé "
    "actualizado actualización modificado aggiornato aggiornamento modificato "
    "atualizado atualização modificado bijgewerkt gewijzigd zaktualizowano aktualizacja "
    "обновл* измен* uppdaterad güncel* تحديث"
)
# What is that old grows older by itself; “ago” and “fa” alone say nothing. “Stand: 3 May” is one, a stand is none.
AGO: Final = (
    r"\d\s?\w{1,12}\.?\s(?:ago|geleden|temu|назад|sedan|siden|fa|atrás|sitten)\b"
    r"|\b(?:vor|hace|há|il y a|منذ)\s(?:etwa |ca\. |unos |cerca de |environ )?(?:\d{1,3}|einer?|une?|una?|uma?)\s"
    r"(?:se[cgk]|min|h|std|stund|d[ií]a|jour|tag|woch|sem|mois|m[eê]s|monat|jahr|an|año)\w*"
    r"|\bstand\s?(?::|vom\b|\d)|^\W*dernière\b"
)
STAMP_ANYWHERE: Final = "更新 最終更新 分前 時間前 日前 前に 更新于 更新时间 分钟前 小时前 天前 © ℗ 업데이트"
COUNTER: Final = (
    "view views viewed viewing viewers visitor visitors visits hits likes shares follower followers following "
    "accessed days_to_go days_left hours_left registered_so_far people_are comments comment replies reply online watching downloads downloaded installs stars forks votes "
    "people_watch people_watching are_viewing are_looking last_24_hours last_48_hours last_hour signed_up_today "
    "schauen_gerade sehen_sich personnes_regardent regardent consultent personas_viendo están_viendo personas_mirando "
    "stanno_guardando persone_stanno estão_vendo estão_a_ver últimas_24_horas últimas_48_horas ultime_24_ore "
    "dernières_24_heures letzten_24_stunden kijken_nu bekijken_dit mensen_bekijken osób_ogląda ogląda_teraz prohlíží "
    "tittar_på ser_på_denne ser_på_dette kişi_bu bakıyor inceliyor katselee смотрят просматривают "
    "vote subscribers readers impressions users_online sessions reads upvotes reactions retweets "
    "aufrufe besucher zugriffe mal_gelesen mal_angesehen kommentare kommentar klicks warenkorb abonnenten geteilt gefällt "
    "vues visites visiteurs lectures commentaires commentaire partages panier abonnés en_ligne consultations "
    "visitas visitantes vistas comentarios lecturas compartido carrito seguidores "
    "partilhas compartilhamentos visitata volte visualizzazioni visite visitatori letture commenti condivisioni carrello "
    "visualizações visitas comentários leituras seguidores carrinho "
    "bekeken bezoekers weergaven reacties winkelwagen wyświetleń odsłon odwiedzin komentarzy koszyk "
    "просмотр* посетител* комментар* онлайн скачив* корзин* مشاهدة مشاهدات زائر زيارة تعليق görüntülenme"
)
COUNTER_ANYWHERE: Final = "閲覧 回視聴 コメント いいね 人が見て 訪問者 アクセス カート 浏览 阅读 评论 点赞 访问量 在线 购物车 人気 累计 下载 次数 조회"
NOW: Final = (
    "today today's right_now live_now weather temperature of_the_day did_you_know "
    "heute jetzt aktuell* wetter des_tages wussten zufall* "
    "aujourd'hui aujourd’hui maintenant actuellement météo du_jour saviez-vous "
    "hoy ahora actualmente tiempo del_día sabías oggi adesso meteo del_giorno sapevi "
    "hoje agora clima do_dia sabia vandaag nu weer van_de_dag wist_je "
    "dzisiaj dziś teraz pogoda сегодня сейчас погода just_nu idag väder bugün şimdi الآن اليوم"
)
NOW_ANYWHERE: Final = "今日 本日 ただいま 現在 天気 今天 现在 当前 天气 오늘 지금 현재 날씨"
CALL: Final = (  # what asks the reader to do something for the site
    "newsletter subscribe sign_up sign-up download_the_app get_the_app our_app follow_us donate_now discover tour brochure "
    "prospectus win chat survey rate_us app "
    "newsletter_abonnieren abonnieren herunterladen gewinnspiel umfrage app_laden folgen_sie "
    "inscrivez-vous abonnez-vous infolettre téléchargez suivez-nous sondage "
    "suscríbete boletín descarga síguenos encuesta iscriviti scarica seguici sondaggio "
    "inscreva-se assine baixe siga-nos nieuwsbrief e-mailadres abonneer schrijf_je_in volg_ons jobalert "
    "zapisz_się newsletter* pobierz obserwuj подпис* скачайте рассылк* nyhetsbrev prenumerera bülten abone اشترك"
)
# What a site asks of its readers, in words that say nothing else: a newsletter, an app, a survey, a review.
REQUEST: Final = (
    "our_newsletter mailing_list sign_up_for sign_up_to_our subscribe_to_our subscribe_now "
    "to_your_inbox in_your_inbox follow_us like_us_on rate_us leave_us_a_review our_app download_the_app get_the_app our_survey user_survey "
    "take_our help_us_improve virtual_tour order_our_prospectus request_a_brochure donate_now "
    "continuing_to_browse accept_all_cookies "
    "unseren_newsletter newsletter_abonnieren unsere_app folgen_sie_uns bewerten_sie_uns unserer_umfrage kundenumfrage "
    "gewinnspiel "
    "notre_newsletter notre_infolettre abonnez-vous suivez-nous notre_application téléchargez_gratuitement "
    "notre_enquête notre_sondage notre_brochure "
    "suscríbete nuestro_boletín síguenos descarga_nuestra nuestra_app nuestra_encuesta déjanos_una "
    "nostra_newsletter iscriviti_alla seguici scarica_la_nostra lasciaci_una nostro_sondaggio "
    "nossa_newsletter cadastre-se inscreva-se siga-nos nosso_inquérito nossa_pesquisa baixe_o_app nossa_aplicação "
    "onze_nieuwsbrief volg_ons download_onze gratis_app onze_app laat_je_e-mailadres onze_enquête jobalert "
    "zapisz_się_do pobierz_aplikację obserwuj_nas polub_nas oceń_nas naszą_ankietę wypełnij_ankietę "
    "sledujte_nás naši_aplikaci přihlaste_se_k_odběru vyplňte_dotazník "
    "följ_oss vårt_nyhetsbrev vår_app følg_oss følg_os vores_nyhedsbrev vores_app seuraa_meitä tilaa_uutiskirje "
    "подпишитесь подписывайтесь скачайте_приложение нашу_рассылку пройдите_опрос оцените_нас "
    "bültenimize bizi_takip_edin uygulamamızı anketimize iratkozzon_fel kövessen_minket abonează-te urmărește-ne تابعنا"
)
REQUEST_ANYWHERE: Final = "アンケートにご協力 メルマガ登録 アプリをダウンロード フォローしてください 订阅我们 关注我们 下载我们的 填写问卷 구독하세요"
CALL_ANYWHERE: Final = "メルマガ 登録はこちら ダウンロード 订阅 关注我们 구독 다운로드"
POLLS: Final = (
    "poll polls umfrage sondage encuesta sondaggio enquete peiling sonda ankieta anketa опрос omröstning anket"
)
BESIDES: Final = (  # headings of boxes that show something else at each visit
    "related similar also_like also_bought also_viewed you_might you_may like_this latest recent popular trending recommended recommendations "
    "other_articles other_news other_stories other_products other_items other_jobs other_events other_pages others_also more_from more_news "
    "latest_news top_news news_headlines in_the_news "
    "near_you this_week from_the_blog our_blog on_the_blog comments reviews testimonials says bestsellers featured viewed sponsors our_partners "
    f"quiz {POLLS} "
    "aktuelles neuigkeiten nachrichten ähnliche auch_interessant auch_interessieren könnte_auch auch_gefallen auch_gekauft weitere_artikel "
    "weitere_meldungen weitere_nachrichten weitere_produkte weitere_beiträge weitere_stellen weitere_angebote beliebt* empfehl* kommentare bewertungen meldungen "
    "lire_aussi voir_aussi aussi_aimer aimerez_aussi également actualités derniers dernières similaires recommand* avis populaires commentaires "
    "puede_interesar noticias otros_productos otras_noticias otros_artículos también_te también_puede similares parecid* relacionad* recomendad* opiniones últimas populares "
    "leggi_anche potrebbe_interessarti anche_interessare novità evidenza correlati simili notizie consigliati recensioni ultime "
    "outros_produtos outros_artigos outras_notícias leia_também veja_também notícias semelhantes relacionados avaliações últimas "
    "misschien_ook lees_ook bekijk_ook ook_interessant nieuws laatste vergelijkbare reacties populair aktualności polecane podobne ostatnie opinie "
    "новости похожие читайте_также смотрите_также другие_новости другие_товары отзывы популярн* последние nyheter liknande haberler benzer أخبار"
)
BESIDES_ANYWHERE: Final = "関連 おすすめ お知らせ 新着 人気 アンケート 近期 相关 热门 推荐 最新 뉴스 추천 인기 관련"
ADVERT: Final = "advertisement sponsored promoted anzeige werbung publicité publicidad pubblicità publicidade advertentie reklama реклама إعلان"


MAX_KNOWN_WORDS: Final = 50_000  # whose lists are remembered
_TOKEN: Final = re.compile(r"[\w²°]+(?:[-'’./][\w²]+)*\.?")


class Vocabulary:
    """Lists of words that find themselves in texts: by whole words, by beginnings, and by groups of words.

    Each list has a name; the words of a text are looked up once for all of them.

    >>> words = Vocabulary({"state": "closed fermé* in_stock", "rule": "not"})
    >>> words.found("The pool is fermée, not 3 in stock. Closed.")
    {'state': ['fermée', 'in stock', 'closed'], 'rule': ['not']}
    """

    def __init__(self, lists: Mapping[str, str], anywhere: Mapping[str, str] | None = None) -> None:
        self.exact: dict[str, tuple[str, ...]] = {}
        self.beginnings: dict[str, tuple[str, ...]] = {}
        for name, listed in lists.items():
            for word in {each.replace("_", " ").replace("’", "'") for each in listed.lower().split()}:
                kept, key = (self.beginnings, word[:-1]) if word.endswith("*") else (self.exact, word)
                kept[key] = (*kept.get(key, ()), name)
        self.lengths = tuple(sorted({len(word) for word in self.beginnings}))
        phrases = [phrase for phrase in self.exact if " " in phrase]
        self.begun: dict[str, tuple[str, ...]] = {}  # phrases by their first word
        for phrase in phrases:
            first = phrase.partition(" ")[0]
            self.begun[first] = (*self.begun.get(first, ()), phrase)
        self.anywhere = {
            name: re.compile(
                "|".join(map(re.escape, sorted(set(listed.split()), key=lambda each: (-len(each), each))))
            )
            for name, listed in (anywhere or {}).items()
        }
        self.known: dict[str, tuple[str, ...]] = {}

    def found(self, text: str) -> dict[str, list[str]]:
        """Give the words that a text holds, by the name of their list."""
        made: dict[str, list[str]] = {}
        words = tokens(text)
        for at, word in enumerate(words):
            names = self.known.get(word)
            if names is None:
                names = self._look_up(word)
            if names:
                for name in names:
                    made.setdefault(name, []).append(word.rstrip("."))
            if word in self.begun:
                self._phrases(words, at, made)
        if not text.isascii():
            for name, expression in self.anywhere.items():
                if inside := expression.findall(text):
                    made.setdefault(name, []).extend(inside)
        return made

    def _look_up(self, word: str) -> tuple[str, ...]:
        """Find the lists of a word, and remember them while there is room."""
        plain = word.rstrip(".")
        names = dict.fromkeys(self.exact.get(word, ()) or self.exact.get(plain, ()))
        for length in self.lengths:
            names |= dict.fromkeys(self.beginnings.get(plain[:length], ()))
        if len(self.known) >= MAX_KNOWN_WORDS:
            self.known.clear()
        self.known[word] = tuple(names)
        return self.known[word]

    def _phrases(self, words: list[str], at: int, made: dict[str, list[str]]) -> None:
        for phrase in self.begun[words[at]]:
            if " ".join(words[at : at + 1 + phrase.count(" ")]).rstrip(".") == phrase:
                for name in self.exact[phrase]:
                    made.setdefault(name, []).append(phrase)


def tokens(text: str) -> list[str]:
    """Take a text apart into words in lower case, without the marks around them."""
    return _TOKEN.findall(text.lower().replace("’", "'"))


def alternatives(listed: str) -> str:
    r"""Write a list as part of a regular expression.

    >>> alternatives("jan* may")
    '(?<!\\w)(?:jan\\w*|may)(?!\\w)'
    """
    words = sorted(set(listed.split()), key=lambda word: (-len(word), word))
    made = [
        re.escape(word.rstrip("*")).replace("_", r"\s+") + (r"\w*" if word.endswith("*") else "") for word in words
    ]
    return rf"(?<!\w)(?:{'|'.join(made)})(?!\w)"


# Labels of links that lead on to more of the same; an edit that adds or drops one, and no more, says nothing new.
LEADING_ON: Final = frozenset(
    (
        *("»", "›", "→", "more", "read", "read more", "more »", "read more »", "read more →", "read on"),
        *("learn more", "show more", "see more", "continue reading", "details", "more details", "view details"),
        *("mehr", "weiterlesen", "mehr lesen", "mehr erfahren", "weiter", "lire", "lire la suite", "lire plus"),
        *("en savoir plus", "voir plus", "leggi", "leggi tutto", "leggi di più", "continua", "scopri di più"),
        *("leer", "leer más", "ver más", "saber más", "ler", "ler mais", "leia mais", "saiba mais", "ver mais"),
        *("lees meer", "lees verder", "meer", "meer lezen", "läs mer", "les mer", "læs mere", "lue lisää"),
        *("czytaj", "czytaj więcej", "czytaj dalej", "więcej", "číst dál", "více", "citește mai mult", "devamı"),
        *("читать далее", "подробнее", "далее", "читати далі", "διαβάστε περισσότερα", "اقرأ المزيد", "المزيد"),
        *("קרא עוד", "続きを読む", "もっと見る", "阅读更多", "查看更多", "更多", "더 보기", "자세히 보기", "और पढ़ें"),
    )
)
# Whole labels of buttons that pass a page on or keep it; that one comes or goes says nothing.
SHARING: Final = frozenset(
    (
        *("share", "share this", "share this page", "print", "print this page", "email this", "copy link", "tweet"),
        *("teilen", "drucken", "seite teilen", "seite drucken", "link kopieren", "partager", "imprimer"),
        *("compartir", "imprimir", "condividi", "stampa", "compartilhar", "partilhar", "delen", "afdrukken"),
        *("udostępnij", "drukuj", "dela", "skriv ut", "del", "sdílet", "tisk", "поделиться", "печать"),
        *("paylaş", "yazdır", "مشاركة", "طباعة", "共有", "シェア", "印刷", "分享", "打印", "공유", "인쇄"),
    )
)
# Where pages are passed on to.
NETWORKS: Final = frozenset(
    "facebook twitter x linkedin whatsapp telegram mastodon bluesky threads pinterest reddit xing instagram youtube tiktok"
    " flipboard pocket tumblr vk ok line viber messenger signal e-mail email mail sms rss feed weibo wechat qq qzone hatena"
    " вконтакте одноклассники".split()
)
