"""The code as its syntax tells it: kinds of rows, keys, and the calls that read."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PACKAGE = ROOT / "layers" / "core" / "storepost"
_SCOPES = {"WorkspaceScope": "workspace#*", "PersonScope": "person#*"}
_PARTITIONS = frozenset({"key", "partition", "nodes_partition"})

type Known = dict[str, str]


@cache
def modules() -> list[ast.Module]:
    """The package's modules."""
    return [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(_PACKAGE.rglob("*.py"))]


@cache
def _all_nodes() -> list[ast.AST]:
    return [node for module in modules() for node in ast.walk(module)]


def nodes[T: ast.AST](kind: type[T], within: ast.AST | None = None) -> Iterator[T]:
    """All parts of one kind, of the whole package or of one part of it."""
    found = _all_nodes() if within is None else ast.walk(within)
    return (node for node in found if isinstance(node, kind))


def kinds() -> dict[str, str]:
    """The kinds of rows by the names of their classes."""
    return {
        row.name: str(ast.literal_eval(keyword.value))
        for row in nodes(ast.ClassDef)
        for keyword in row.keywords
        if keyword.arg == "discriminator"
    }


def expiring() -> set[str]:
    """The kinds that some code gives an expiration: when it makes or updates them, or later."""
    made = {
        ast.unparse(call.args[0] if ast.unparse(call.func) == "as_row" else call.func)
        for call in nodes(ast.Call)
        if any(keyword.arg == "expiration" for keyword in call.keywords)
    }
    updated = (ast.unparse(call.func) for call in calls("set"))
    made |= {c.removesuffix(".expiration.set") for c in updated if c.endswith(".expiration.set")}
    for function in nodes(ast.FunctionDef):
        if any(ast.unparse(n.targets[0]).endswith(".expiration") for n in _assigned(function)):
            made |= {name.id for name in nodes(ast.Name, function)}
    return {kind for name, kind in kinds().items() if name in made}


def key_pairs() -> Iterator[tuple[str, str]]:
    """The partition and sort keys that the functions which return a `Key` make."""
    for module in modules():
        for function in nodes(ast.FunctionDef, module):
            if function.returns is not None and ast.unparse(function.returns) == "Key":
                known = _texts(module) | _scopes(function)
                for value in _returned(function):
                    if isinstance(value, ast.Tuple):
                        pk, sk = value.elts
                        yield _pattern(pk, known), _pattern(sk, known)


def partitions() -> set[str]:
    """Every partition key that the code makes: by key functions, scopes, lists and queues.

    Left out is what stands in the partition that another key function names.
    """
    found = {pk for pk, _ in key_pairs()}
    for module in modules():
        known = _texts(module)
        found |= {_pattern(c, known) for c in calls("partition", module) if _is_of_a_scope(c)}
        for function in nodes(ast.FunctionDef, module):
            if function.name in _PARTITIONS:
                texts = (v for v in _returned(function) if isinstance(v, ast.JoinedStr))
                found |= {_pattern(text, known) for text in texts}
    return found - {"*"}


def calls(name: str, within: ast.AST | None = None) -> list[ast.Call]:
    """The calls of methods of that name."""
    found = ((call, call.func) for call in nodes(ast.Call, within))
    return [c for c, called in found if isinstance(called, ast.Attribute) and called.attr == name]


def _is_of_a_scope(call: ast.Call) -> bool:
    """A text's own `partition` takes one argument, a workspace's one or more."""
    named = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "workspace"
    return named or len(call.args) > 1


def _assigned(function: ast.FunctionDef) -> Iterator[ast.Assign]:
    return nodes(ast.Assign, function)


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    return [node.value for node in nodes(ast.Return, function) if node.value is not None]


def _texts(module: ast.Module) -> Known:
    """The module's constant texts by name."""
    found = (node for node in module.body if isinstance(node, ast.Assign))
    return {
        ast.unparse(node.targets[0]): node.value.value
        for node in found
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }


def _scopes(function: ast.FunctionDef) -> Known:
    """The keys of the scopes that the function is given."""
    annotated = ((a.arg, ast.unparse(a.annotation)) for a in function.args.args if a.annotation)
    return {f"{name}.key": _SCOPES[kind] for name, kind in annotated if kind in _SCOPES}


def _pattern(node: ast.expr, known: Known) -> str:
    """What an expression makes, with a star for each part that only a run would tell."""
    match node:
        case ast.JoinedStr(values=parts):
            return "".join(_pattern(part, known) for part in parts)
        case ast.Call(func=ast.Attribute(attr="partition"), args=parts):
            return "#".join(["workspace#*", *(_pattern(part, known) for part in parts)])
        case ast.FormattedValue(value=value):
            return _pattern(value, known)
        case ast.Constant(value=str(text)):
            return text
    return known.get(ast.unparse(node), "*")
