"""The stubs say what the compiled module has, no more and no less; what the package exports has words and types."""

import ast
import inspect
from pathlib import Path

import ropinn
from ropinn import _ropinn

STUBS = ast.parse((Path(ropinn.__file__).parent / "_ropinn.pyi").read_text())


def public(names):
    return {name for name in names if not name.startswith("_")}


def arguments(function):
    found = function.args
    usual = [None] * (len(found.args) - len(found.defaults)) + found.defaults
    return [(argument.arg, default is not None) for argument, default in zip(found.args, usual)]


def signature(thing):
    parameters = inspect.signature(thing).parameters.values()
    return [(parameter.name, parameter.default is not parameter.empty) for parameter in parameters]


def test_functions_and_classes_are_the_same():
    stated = {node.name: node for node in STUBS.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert set(stated) == public(vars(_ropinn))
    for name, node in stated.items():
        thing = getattr(_ropinn, name)
        assert thing.__doc__, name
        if isinstance(node, ast.FunctionDef):
            assert arguments(node) == signature(thing), name
            continue
        members = {member.name: member for member in node.body}
        assert public(members) == public(vars(thing)), name
        assert arguments(members["__new__"])[1:] == signature(thing), name
        for member, stub in members.items():
            if member.startswith("_"):
                continue
            own = inspect.getattr_static(thing, member)
            is_property = any(getattr(decorator, "id", "") == "property" for decorator in stub.decorator_list)
            assert is_property == inspect.isgetsetdescriptor(own), f"{name}.{member}"
            if not is_property:
                assert arguments(stub) == signature(getattr(thing, member)), f"{name}.{member}"


def test_what_is_exported_has_words():
    for name in ropinn.__all__:
        thing = getattr(ropinn, name)
        assert name == "__version__" or inspect.getdoc(thing), name
    assert (Path(ropinn.__file__).parent / "py.typed").is_file()
    assert ropinn.__version__ == _ropinn.__version__


def test_every_option_of_the_command_line_is_a_keyword(cli):
    said = cli("solve", "--help").stdout
    flags = {word.strip(" ,<>=[]").removeprefix("--").replace("-", "_") for word in said.split() if word.startswith("--")}
    flags = {flag.split("`")[0] for flag in flags}
    # Quiet and events are what `progress` and `callback` are for, a page what a notebook is; variants and other tables have no keyword yet.
    known = set(inspect.signature(ropinn.solve).parameters)
    assert flags - known <= {"quiet", "json", "help", "live", "variant", "table"}, flags - known
    from ropinn._solve import _SOLVE

    assert set(_SOLVE) == known - {"problem", "unknown"}
