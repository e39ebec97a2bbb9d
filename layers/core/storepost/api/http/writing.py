"""Answers as JSON text."""

import json

from aws_lambda_powertools.shared.json_encoder import Encoder

_SEPARATORS = (",", ":")


def as_json(value: object) -> str:
    """Compact JSON that can be sent as UTF-8: escaped, Cyrillic takes three times as much.

    Lambda hands over 6 MB, and the bounds of what an answer may hold count UTF-8. Half a pair of
    surrogates, which a request can name and UTF-8 can't, leaves no choice but to escape.
    """
    text = json.dumps(value, ensure_ascii=False, separators=_SEPARATORS, cls=Encoder)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=_SEPARATORS, cls=Encoder)
    return text
