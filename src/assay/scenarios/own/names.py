"""What columns are called: names from which their role is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable

NAMES: dict[str, str] = {
    "split": "split set fold partition",
    "id": r"id uid uuid key ref nr no number case .*[_\s-]id "
    r"(case|ticket|reference|ref|order|request)[_\s.-]?(no|nr|number|key|ref)\.? ticket "
    r"nummer (fall|vorgangs?|akten|bestell|kunden)[_\s.-]?(nr\.?|nummer|id|zeichen) kennung lfd\W{0,3}nr\.? vorgang "
    r"num[ée]ro identifiant r[ée]f[ée]rence n[º°]\.? n[úu]mero identificador referencia",
    "messages": "messages conversation dialog dialogue chat turns nachrichten gespr(ä|ae)ch verlauf mensajes conversaci[óo]n",
    "answer": r"answers? label gold target expected.* right.* correct.* accepted reply response output reference "
    r"(good|best|ideal|desired)[_\s-].* completion action category class intent solution verdict ans a "
    r"richtig.* korrekt.* antwort l(ö|oe)sung muster(antwort|l(ö|oe)sung) erwartet.* kategorie klasse "
    r"(bonne|meilleure)[_\s-].* r[ée]ponse attendue?s? cat[ée]gorie classe [ée]tiquette "
    r"(buena|mejor)[_\s-].* respuesta esperad[ao]s? soluci[óo]n categor[íi]a clase etiqueta",
    "options": r"options choices candidates alternatives antworten antwort(m(ö|oe)glichkeiten|optionen) optionen auswahl "
    r"m(ö|oe)glichkeiten r[ée]ponses choix respuestas opciones alternativas",
    "input": "input question prompt message query text instruction request problem sentence enquiry inquiry utterance body q "
    "frage anfrage (kunden)?nachricht eingabe aufgabe meldung anliegen demande texte [ée]nonc[ée] phrase "
    "pregunta mensaje consulta texto enunciado frase",
    "context": "context passage document article background story facts account.* notes? "
    "kontext abschnitt dokument artikel hintergrund sachverhalt contexte contexto pasaje documento art[íi]culo",
    "group": r"group document[_\s-]?id thread customer customer[_\s-]id family source[_\s-]id conversation[_\s-]id",
    "worked": "worked explanation rationale reasoning why erkl(ä|ae)rung begr(ü|ue)ndung rechenweg explication raisonnement "
    "explicaci[óo]n razonamiento",
}
"""Regular expressions, the likeliest first, spaces between them: words of English, then German, French and Spanish ones."""


def called(role: str, names: Iterable[str]) -> list[str]:
    """Those of some columns that are called as a role is, the likeliest first."""
    found = list(names)
    return [name for pattern in NAMES[role].split() for name in found if re.fullmatch(pattern, name, re.IGNORECASE)]


def is_usual(name: str) -> bool:
    """Whether a column of any role may be called so."""
    return any(called(role, [name]) for role in NAMES)
