"""Which module reads a kind of resource for the messages of events."""

from importlib import import_module

from storepost.webhooks.events import resources

GROUPS = ("people", "selling", "stores", "workspace")


def test_each_kind_is_read_by_the_listed_module() -> None:
    modules = {name: import_module(f"{resources.__name__}.{name}") for name in GROUPS}
    read = {kind: name for name, module in modules.items() for kind in module.READERS}
    assert read == resources.GROUPS
    for kind, name in read.items():
        assert resources.reader_of(kind) is modules[name].READERS[kind]
