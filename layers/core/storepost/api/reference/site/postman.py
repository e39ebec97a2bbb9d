"""The description as a collection of Postman, format 2.1."""

import json
import re

from storepost.api.reference.documents import groups, interface
from storepost.api.reference.site.described import resolved
from storepost.api.reference.site.operations import operations_of
from storepost.values.wire import Json

_SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
_JSON = "application/json"


def collection(base_url: str) -> Json:
    """Returns the collection: a folder for each part of the story, and in it one for each group.

    Its variables are `baseUrl` and `key`, an API key.
    """
    info = interface()["info"]
    return {
        "info": {"name": info["title"], "description": info["description"], "schema": _SCHEMA},
        "auth": {"type": "bearer", "bearer": [_value("token", "{{key}}")]},
        "variable": [_value("baseUrl", base_url), _value("key", "")],
        "item": [
            {"name": part["name"], "item": [_group(name) for name in part["tags"]]}
            for part in interface()["x-tagGroups"]
        ],
    }


def _value(key: str, value: str) -> Json:
    return {"key": key, "value": value, "type": "string"}


def _group(name: str) -> Json:
    tag, requests = groups()[name], list(map(_request, operations_of(name)))
    return {"name": tag["x-displayName"], "description": tag["description"], "item": requests}


def _request(operation: Json) -> Json:
    path = _colons(operation["path"])
    parameters = [resolved(each) for each in operation.get("parameters", [])]
    request: Json = {
        "method": operation["method"],
        "description": operation["description"],
        "header": [_value("Content-Type", _JSON)] if "requestBody" in operation else [],
        "url": {
            "raw": f"{{{{baseUrl}}}}{path}",
            "host": ["{{baseUrl}}"],
            "path": path.strip("/").split("/"),
            "query": [
                _parameter(each) | {"disabled": True} for each in parameters if _is(each, "query")
            ],
            "variable": [_parameter(each) for each in parameters if _is(each, "path")],
        },
    }
    if not operation["security"]:
        request["auth"] = {"type": "noauth"}
    return {"name": operation["summary"], "request": request | _body(operation), "response": []}


def _is(parameter: Json, place: str) -> bool:
    return bool(parameter["in"] == place)


def _parameter(parameter: Json) -> Json:
    return {"key": parameter["name"], "value": "", "description": parameter["description"]}


def _colons(path: str) -> str:
    return re.sub(r"{(\w+)}", r":\1", path)


def _body(operation: Json) -> Json:
    content = operation.get("requestBody", {}).get("content", {})
    if _JSON not in content:
        return {}
    text = json.dumps(content[_JSON]["example"], indent=2, ensure_ascii=False)
    return {"body": {"mode": "raw", "raw": text, "options": {"raw": {"language": "json"}}}}
