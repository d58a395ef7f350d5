"""Words and markers that give away block pages, consent walls, logins and error pages.

Words are looked for in titles and headings, and in the text of pages that have little. They are what servers, and
tools of protection and consent, write in the languages that most of the web is in.
"""

from __future__ import annotations

import re
from typing import Final


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:" + "|".join(phrases) + r")(?!\w)", re.IGNORECASE)


BLOCKED: Final = _any(
    r"access (?:is |to this (?:page|site|resource) (?:is|has been) )?denied",
    r"access to this page has been (?:blocked|denied)",
    r"you (?:have been|are|were) (?:temporarily )?(?:blocked|banned)",
    r"you don['’]?t have permission to access",
    r"your (?:ip(?: address)?|request|access) (?:has been|was|is) (?:temporarily )?(?:blocked|banned|denied)",
    r"request (?:was |has been )?(?:blocked|rejected|unsuccessful)",
    r"checking (?:if the site connection is secure|your browser)(?: before)?",
    r"just a moment|verifying your browser|security checkpoint|robot check",
    r"you(?:'|’)?ve been blocked|you are being rate limited|the request could not be satisfied",
    r"attention required",
    r"verify(?:ing)? (?:that )?you(?: are|'?re)? (?:a )?(?:human|not a (?:ro)?bot)",
    r"(?:are you|i'?m not|you'?re not|prove you are not) a (?:ro)?bot",
    r"are you (?:a )?human|human verification|security (?:check|challenge|verification)",
    r"unusual traffic(?: from your (?:computer )?network)?",
    r"(?:complete|solve) (?:the|this) captcha",
    r"too many requests|rate limit(?:ed)?(?: exceeded)?",
    r"pardon our interruption|bot (?:protection|detection)|ddos[- ]protection(?: by [\w.]+)?",
    r"(?:please )?enable (?:javascript|cookies)(?: and cookies)? to continue",
    r"forbidden|403",
    r"zugriff (?:wurde )?(?:verweigert|gesperrt)|ihre anfrage wurde (?:blockiert|abgelehnt)",
    r"(?:überprüfung|überprüfen) ihres browsers|sind sie ein (?:mensch|roboter)",
    r"accès (?:refusé|interdit|bloqué)|vérification de votre navigateur|êtes-vous un (?:robot|humain)",
    r"acceso (?:denegado|bloqueado|prohibido)|comprobando (?:su|tu) navegador|no soy un robot",
    r"accesso negato|acesso negado|toegang geweigerd|brak dostępu|доступ (?:запрещен|запрещён|ограничен)",
    r"アクセスが拒否されました|访问被拒绝|拒绝访问",
)
ERROR: Final = _any(
    r"(?:error )?(?:4(?:04|10)|50[0-4]|52\d)(?: error)?",
    r"(?:page|file|document|site|url) (?:(?:could |can )?not|cannot|(?:could|ca)n['’]?t) (?:be )?found",
    r"page (?:does not|doesn['’]?t) exist",
    r"not found",
    r"bad gateway|gateway time-?out|service (?:is )?(?:temporarily )?unavailable|internal server error",
    r"(?:site|page|service|website|server|we are|we'?re)(?: is| are)? (?:currently |temporarily )?"
    r"(?:down|unavailable|offline)"
    r"(?: for (?:scheduled )?maintenance)?",
    r"(?:under|down for|scheduled|site|planned|undergoing) maintenance",
    r"maintenance(?: mode| in progress)?|be right back",
    r"(?:our )?servers? (?:are|is) (?:too |very |currently |temporarily )*(?:busy|overloaded)",
    r"(?:there has been )?a critical error(?: on this website)?|you are (?:now )?in line|(?:virtual )?waiting room",
    r"error establishing a database connection|database (?:connection )?error|application error|fatal error",
    r"something went wrong|an (?:unexpected )?error (?:has )?occurred|oops|unexpected error",
    r"(?:origin )?dns error|server error|web server is (?:down|returning an unknown error)|connection timed out",
    r"welcome to nginx|apache2? (?:\w+ )?default page|it works!|iis windows server|test page for",
    r"(?:seite|datei) (?:wurde )?nicht gefunden|wartungs(?:arbeiten|modus)",
    r"(?:vorübergehend|derzeit) nicht (?:erreichbar|verfügbar)",
    r"interner serverfehler|es ist ein fehler aufgetreten",
    r"(?:unsere )?server sind (?:derzeit )?(?:überlastet|ausgelastet)",
    r"page (?:introuvable|non trouvée)|(?:site )?en maintenance",
    r"(?:service |temporairement )indisponible|erreur (?:interne|serveur)",
    r"une erreur (?:s'est|est) (?:produite|survenue)",
    r"página no encontrada|no se (?:ha )?encontr(?:ado|ó) la página|en mantenimiento",
    r"(?:servicio )?no disponible|error interno",
    r"ha ocurrido un error|pagina non trovata|in manutenzione|página não encontrada|em manutenção",
    r"pagina niet gevonden|strona nie (?:została )?znaleziona|страница не найдена|технические работы",
    r"ページが見つかりません|メンテナンス中|页面不存在|找不到页面|系统维护",
)
CONSENT: Final = _any(
    r"before you continue",
    r"(?:we (?:value|respect|care about)|your) (?:your )?privacy(?: (?:choices|settings|matters))?",
    r"(?:accept|allow|reject|agree to|manage) (?:all )?(?:the )?cookies",
    r"cookie (?:settings|consent|preferences|notice|policy)",
    r"(?:we|we and our partners|this (?:site|website)) uses? cookies|accept all|reject all",
    r"i (?:accept|agree|consent)",
    r"consent(?: to (?:the use of )?cookies)?|privacy (?:settings|preferences|centre|center)",
    r"bevor sie (?:fortfahren|zu [\w.]+ weitergehen)",
    r"(?:alle(?:s)? )?(?:akzeptieren|ablehnen|zustimmen)|einwilligung",
    r"(?:cookie|datenschutz|privatsphäre)-?einstellungen|wir (?:verwenden|nutzen|brauchen) (?:ihre |cookies)",
    r"(?:mit werbung )?weiterlesen|ihre (?:privatsphäre|zustimmung)|zustimmung",
    r"avant (?:de continuer|d'accéder)|(?:tout )?(?:accepter|refuser)(?: et (?:continuer|fermer))?",
    r"nous utilisons des cookies",
    r"(?:paramétrer|gérer|paramètres des) (?:les |mes )?cookies|votre vie privée|continuer sans accepter",
    r"antes de (?:continuar|ir a)|(?:aceptar|rechazar) (?:todo|todas)(?: las cookies)?",
    r"(?:utilizamos|usamos) cookies",
    r"configura(?:r|ción de) (?:las )?cookies|su privacidad|tu privacidad",
    r"accetta tutti|rifiuta tutti|prima di continuare|aceitar (?:tudo|todos)",
    r"alles (?:accepteren|weigeren)|zaakceptuj wszystko",
)
LOGIN: Final = _any(
    r"(?:please )?(?:log|sign)[ -]?(?:in|on)(?: to continue| required| to your account)?|login",
    r"(?:you must|you need to) (?:be logged in|log in|sign in)|authentication required",
    r"session (?:has )?expired|single sign-on",
    r"(?:bitte )?(?:anmelden|einloggen)|anmeldung|anmeldeseite|kundenlogin|sitzung (?:ist )?abgelaufen",
    r"(?:se connecter|connectez-vous|connexion|identifiez-vous|s'identifier|session expirée)",
    r"inicia(?:r)? sesión|acceder|identifíquese|inicio de sesión|sesión (?:ha )?(?:expirad[ao]|caducada)",
    r"accedi|entrar|fazer login|inloggen|aanmelden|zaloguj(?: się)?|logowanie|войти|вход|ログイン|登录",
)
PARKED: Final = _any(
    r"(?:this |the )?domain(?: name)?(?: [\w.-]+)? (?:is|may be|has been) "
    r"(?:for sale|parked|expired|suspended|registered)",
    r"website expired|this account has expired",
    r"buy this domain|domain (?:for sale|parking|expired|parked)|account (?:has been )?suspended|related searches",
    r"diese domain (?:steht zum verkauf|wurde registriert|ist zu verkaufen)|domain (?:kaufen|steht zum verkauf)",
    r"ce (?:nom de )?domaine est (?:à vendre|expiré|en vente)",
    r"este dominio (?:está )?(?:en venta|a la venta|aparcado)",
    r"website (?:coming soon|is coming soon)|future home of|default web site page",
)
WAITING: Final = _any(
    r"loading|please wait|one moment(?: please)?|redirecting|you need to enable javascript to run this app",
    r"(?:please )?(?:enable|turn on) javascript(?: to (?:run|use|view) this (?:app|site|page|website))?",
    r"(?:this (?:app|site|page|website) )?requires javascript|javascript (?:is )?(?:required|disabled)",
    r"wird geladen|(?:seite )?lädt|bitte warten|chargement(?: en cours)?|veuillez patienter|cargando|espere",
    r"caricamento|carregando|laden|загрузка|読み込み中|加载中",
)
BETWEEN: Final = re.compile(r"\s+[-–—|·•‹›«»:/]+\s*|[|·•‹›«»:]\s+|\s*[|·•‹›«»]\s*")  # parts of a title
# What tools of protection and consent leave in the source, whatever the language.
BLOCKED_MARKS: Final = re.compile(
    r"challenge-platform|cf[-_]chl[-_]|cf-error-details|cf-browser-verification|_incapsula_resource|incap_ses"
    r"|px-captcha|captcha-delivery\.com|geo\.captcha|ddos-guard|sucuri[-_ ]?(?:cloudproxy|firewall)|_abck|ak_bmsc"
    r"|errors\.edgesuite\.net|distil_r_|perimeterx|awswafcookie|aws-?waf-?token"
    r"|friendlycaptcha|challenges\.cloudflare\.com",
    re.IGNORECASE,
)
CONSENT_MARKS: Final = re.compile(
    r"consent\.(?:google|youtube|yahoo)|onetrust|cookielaw\.org|sourcepoint|sp_message|usercentrics"
    r"|didomi|cookiebot"
    r"|consensu\.org|quantcast\.mgr|tcfapi|consentmanager|cmp[-_](?:container|wrapper|ui)|contentpass",
    re.IGNORECASE,
)
PARKED_MARKS: Final = re.compile(
    r"sedoparking|parkingcrew|bodis\.com|dan\.com/buy|hugedomains|afternic|parklogic", re.IGNORECASE
)
LOGIN_PATHS: Final = re.compile(
    r"log-?in|sign-?in|anmeld|connexion|auth|sso|account|session|wp-admin", re.IGNORECASE
)
