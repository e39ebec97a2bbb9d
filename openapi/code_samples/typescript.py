"""A call with the client for TypeScript."""

from openapi.code_samples.call import Call
from openapi.code_samples.literals import TYPESCRIPT, literal


def code(call: Call) -> str:
    """Returns the whole program."""
    group, name = call.names
    key = "\n  token: process.env.STOREPOST_KEY!," if call.has_caller else ""
    parts = {"path": call.in_path, "query": call.in_query}
    arguments = {part: values for part, values in parts.items() if values}
    if call.media:
        arguments["body"] = call.body
    made = f"await storepost.{group}.{name}({literal(arguments, TYPESCRIPT) if arguments else ''});"
    return (
        'import { Storepost } from "@storepost/client";\n\n'
        f"const storepost = new Storepost({{\n  baseUrl: process.env.STOREPOST_URL!,{key}\n}});\n"
        f"{f'const answer = {made}\nconsole.log(answer);' if call.answers else made}"
    )
