"""Words by which facts and noise are recognised, in the larger languages of the web.

Each entry is a space-separated list; `*` at the end of a word stands for any ending, `_` for a space. Languages
written without spaces are matched anywhere in the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

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
WEEKDAYS: Final = (
    "mon* tue* wed* thu* fri* sat* sun* mo di mi do fr sa so mont* dienst* mittw* donn* freit* samst* sonnt* "
    "lun* mar mer jeu* ven* sam* dim* mardi mercredi martes miérc* juev* vier* sáb* dom* marted* mercol* giov* "
    "seg* ter* qua* qui* sex* ma* di* wo* do* vr* za* zo* pon* wt* śr* czw* pt* sob* niedz* пн вт ср чт пт сб вс "
    "понед* втор* сред* четв* пятн* субб* воскр* pzt sal çar per cum cmt paz"
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
    "employee* staff vacanc* position* stück pcs piece* item* pack* user* licen* seats gäste personnes personas"
)
CONTACT: Final = "tel phone call fax telefon* téléphone teléfono mobile hotline ring whatsapp telefoon тел тел. هاتف"
DEADLINE: Final = (
    "deadline* due closes closing until till by before expires expiry apply submit register last_day no_later_than "
    "frist* bis spätestens bewerbungsschluss anmeldeschluss einsendeschluss abgabe gültig jusqu* avant clôture limite "
    "date_limite hasta antes plazo cierre vence entro scadenza fino termine_ultimo até prazo encerra* "
    "tot uiterlijk sluit* do termin* najpóźniej срок до_ не_позднее ends ending start* begin* effective valid"
)
STATUS: Final = (
    "open closed opens closed. available unavailable in_stock out_of_stock sold sold_out stock backorder preorder "
    "pre-order discontinued cancelled canceled postponed rescheduled delayed suspended resumed confirmed withdrawn filled "
    "expired active inactive retired deprecated archived final draft pending approved rejected accepted passed failed "
    "full waitlist waiting_list booked reserved let rented under_offer sale_agreed reopened full-time part-time online "
    "on-site remote hybrid free mandatory optional elected resigned appointed vacant winner won lost live ended starts "
    "operational degraded outage resolved investigating maintenance suspended enabled disabled yes no on off "
    "offen geöffnet geschlossen verfügbar lieferbar ausverkauft vergriffen abgesagt verschoben entfällt bestätigt frei "
    "belegt ausgebucht vermietet verkauft reserviert gesperrt freigegeben abgelaufen besetzt gültig ungültig auf_lager "
    "nicht_lieferbar pflicht freiwillig ja nein "
    "ouvert ouverte ouverts ouvertes fermé fermée fermés disponible indisponible épuisé épuisée rupture annulé annulée "
    "reporté reportée complet complète loué vendu gratuit obligatoire facultatif oui non en_stock suspendu "
    "abierto abierta cerrado cerrada agotado agotada cancelado cancelada aplazado aplazada suspendido vendido alquilado "
    "gratuito obligatorio sí completo disponibles plazas "
    "aperto aperta chiuso chiusa disponibile esaurito esaurita annullato annullata rinviato rinviata sospeso venduto "
    "aberto aberta fechado fechada disponível esgotado esgotada adiado adiada suspenso "
    "gesloten beschikbaar uitverkocht afgelast uitgesteld volgeboekt verhuurd verkocht ja nee "
    "otwarte otwarty zamknięte zamknięty dostępny dostępne niedostępny wyprzedane odwołany odwołane przełożony sprzedane tak nie "
    "открыт* закрыт* доступ* отмен* перенес* нет_в_наличии в_наличии продан* мест_нет да нет "
    "açık kapalı iptal ertelendi tükendi مفتوح مغلق متاح غير_متاح ملغى مؤجل نفد"
)
STATUS_ANYWHERE: Final = (
    "在庫あり 在庫切れ 在庫なし 品切れ 売り切れ 完売 販売中 受付中 受付終了 中止 延期 開催 休館 休業 営業中 満席 空席 募集中 募集終了 予約 残り 終了 "
    "有货 缺货 售罄 已售 取消 延期 推迟 关闭 开放 报名截止 已满 招聘中 已结束 有効 无效 有效 満室 空室 成約 預り 가능 품절 마감 취소 연기"
)
NEGATION: Final = (
    "not no never none without except unless cannot can't don't doesn't isn't won't must shall should required "
    "require* prohibited forbidden allowed permitted only always mandatory obliged entitled refundable non-refundable "
    "nicht kein keine keinen keiner nie niemals ohne außer muss müssen darf dürfen soll sollen kann können verboten "
    "erlaubt nur immer verpflichtet "
    "ne pas jamais aucun aucune sans sauf doit doivent peut peuvent interdit interdite autorisé seulement toujours "
    "no nunca ningún ninguna sin salvo debe deben puede pueden prohibido permitido solo siempre "
    "non mai nessun nessuna senza tranne deve devono può possono vietato consentito sempre solo "
    "não nunca nenhum nenhuma sem exceto deve devem pode podem proibido permitido apenas sempre "
    "niet geen nooit zonder behalve moet moeten mag mogen verboden toegestaan alleen altijd "
    "nie bez nigdy musi muszą może mogą zabronione dozwolone tylko zawsze "
    "не нет никогда без кроме должен должны может могут запрещ* разреш* только всегда "
    "لا ليس لم لن يجب يمنع بدون فقط değil yok olmaz zorunlu yasak"
)
NEGATION_ANYWHERE: Final = "不可 禁止 ません 必須 不要 できない できます 可能 不得 必须 不能 不 无 无需 除外 のみ 仅限 허용 금지 없음 필수"
ROLES: Final = (
    "mr mrs ms dr prof professor sir dame mayor minister director manager head chair chairman chairwoman chairperson "
    "president secretary treasurer officer ceo cto cfo coo principal headteacher teacher coach captain editor author "
    "speaker keynote organiser organizer contact instructor supervisor counsel judge commissioner clerk councillor "
    "candidate winner host librarian lecturer dean registrar by lead maintainer "
    "herr frau bürgermeister* leiter* direktor* vorsitz* präsident* schulleit* trainer* referent* ansprechpartner* "
    "m. mme monsieur madame maire directeur directrice président présidente responsable proviseur "
    "señor señora sr sra alcalde alcaldesa director directora presidente presidenta responsable entrenador "
    "signor signora dott sindaco sindaca direttore direttrice presidente allenatore "
    "prefeito diretor diretora treinador burgemeester directeur voorzitter burmistrz dyrektor prezes trener "
    "директор мэр председатель тренер руководитель مدير رئيس عميد başkan müdür"
)
STAMP: Final = (
    "updated update last_update last_updated last_modified modified generated retrieved refreshed rendered as_of ago "
    "just_now copyright revision timestamp checked cached printed "
    "aktualisiert stand zuletzt geändert erstellt abgerufen vor_* letzte_änderung "
    "mis_à_jour mise_à_jour modifié actualisé il_y_a dernière "
    "actualizado actualización modificado hace aggiornato aggiornamento modificato fa "
    "atualizado atualização modificado há bijgewerkt gewijzigd geleden zaktualizowano aktualizacja temu "
    "обновл* измен* назад uppdaterad güncel* önce تحديث منذ"
)
STAMP_ANYWHERE: Final = "更新 最終更新 分前 時間前 日前 前に 更新于 更新时间 分钟前 小时前 天前 © ℗ 업데이트"
COUNTER: Final = (
    "view views viewed viewing viewers visitor visitors visits hits likes like shares shared share follower followers "
    "following accessed times entered registered_so_far people_are comments comment replies reply online watching looking downloads downloaded installs stars forks votes "
    "vote subscribers readers impressions basket cart bag users_online sessions reads upvotes reactions retweets "
    "aufrufe besucher zugriffe mal gelesen kommentare kommentar klicks warenkorb abonnenten geteilt gefällt "
    "vues visites visiteurs lectures commentaires commentaire partages panier abonnés en_ligne consultations "
    "visitas visitantes vistas comentarios lecturas compartido carrito seguidores "
    "visualizzazioni visite visitatori letture commenti condivisioni carrello "
    "visualizações visitas comentários leituras seguidores carrinho "
    "bekeken bezoekers weergaven reacties winkelwagen wyświetleń odsłon odwiedzin komentarzy koszyk "
    "просмотр* посетител* комментар* онлайн скачив* корзин* مشاهدة مشاهدات زائر زيارة تعليق görüntülenme"
)
COUNTER_ANYWHERE: Final = "閲覧 回視聴 コメント いいね 人が見て 訪問者 アクセス カート 浏览 阅读 评论 点赞 访问量 在线 购物车 人気 累计 下载 次数 조회"
ADVERT: Final = "advertisement sponsored promoted anzeige werbung publicité publicidad pubblicità publicidade advertentie reklama реклама إعلان"


_TOKEN: Final = re.compile(r"[\w²°]+(?:[-'’./][\w²]+)*\.?")


class WordList:
    """A list of words that finds itself in texts: by whole words, by beginnings, and by groups of words.

    >>> words = WordList("closed fermé* in_stock")
    >>> list(words.found("The pool is fermée, 3 in stock. Closed."))
    ['fermée', 'in stock', 'closed']
    """

    def __init__(self, listed: str, anywhere: str = "") -> None:
        plain = {word.replace("_", " ") for word in listed.lower().split()}
        self.exact = frozenset(word for word in plain if not word.endswith("*"))
        self.beginnings = frozenset(word[:-1] for word in plain if word.endswith("*"))
        self.lengths = tuple(sorted({len(word) for word in self.beginnings}))
        self.longest = max((word.count(" ") for word in plain), default=0) + 1
        inside = sorted(set(anywhere.split()), key=lambda word: (-len(word), word))
        self.anywhere = re.compile("|".join(map(re.escape, inside))) if inside else None

    def __contains__(self, word: str) -> bool:
        return word in self.exact or any(word[:length] in self.beginnings for length in self.lengths)

    def found(self, text: str) -> Iterator[str]:
        """Give the words of the list that a text holds."""
        yield from self.found_in(tokens(text), text)

    def found_in(self, words: list[str], text: str) -> Iterator[str]:
        """Give the same where the text was taken apart already."""
        for at, word in enumerate(words):
            if word in self:
                yield word
            elif word[-1:] == "." and word[:-1] in self:
                yield word[:-1]
            for more in range(2, self.longest + 1):
                if (phrase := " ".join(words[at : at + more]).rstrip(".")) in self.exact and " " in phrase:
                    yield phrase
        if self.anywhere is not None and not text.isascii():
            yield from self.anywhere.findall(text)


def tokens(text: str) -> list[str]:
    """Take a text apart into words in lower case, without the marks around them."""
    return _TOKEN.findall(text.lower())


def alternatives(listed: str) -> str:
    """Write a list as part of a regular expression.

    >>> alternatives("jan* may")
    '(?<!\\\\w)(?:jan\\\\w*|may)(?!\\\\w)'
    """
    words = sorted(set(listed.split()), key=lambda word: (-len(word), word))
    made = [re.escape(word.rstrip("*")).replace("_", r"\s+") + (r"\w*" if word.endswith("*") else "") for word in words]
    return rf"(?<!\w)(?:{'|'.join(made)})(?!\w)"
