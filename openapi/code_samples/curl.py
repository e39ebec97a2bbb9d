"""A call as a curl command."""

import json
import re
from shlex import quote
from urllib.parse import quote as percent_encoded
from urllib.parse import urlencode

from openapi.code_samples.call import JSON, Call


def code(call: Call) -> str:
    """Returns the command, with an option on each line."""
    options = [_address(call)]
    if call.method != "GET":
        options.insert(0, f"-X {call.method}")
    if call.has_caller:
        options.append('-H "Authorization: Bearer $STOREPOST_KEY"')
    return " \\\n  ".join([f"curl {options[0]}", *options[1:], *_body(call)])


def _address(call: Call) -> str:
    path = re.sub(r"{(\w+)}", lambda found: _in_path(call, found[1]), call.path)
    query = f"?{urlencode(call.in_query)}" if call.in_query else ""
    return f'"$STOREPOST_URL{path}{query}"'


def _in_path(call: Call, name: str) -> str:
    return percent_encoded(str(call.in_path[name]), safe="")


def _body(call: Call) -> list[str]:
    if call.media is None:
        return []
    if call.media != JSON:
        return [f"-d {quote(urlencode(call.body))}"]
    text = json.dumps(call.body, indent=2, ensure_ascii=False)
    return [f"-H 'Content-Type: {JSON}'", f"-d {quote(text)}"]
