"""Laws about the package as a whole: its layers, its names, what it loads."""

import ast
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

import pagedrift
from pagedrift import cli

HEAVY = (
    "turbohtml",
    "fastwarc",
    "numpy",
    "click",
    "rich",
    "warcio",
    "brotli",
    "zstandard",
    "rapidfuzz",
    "httpx",
    "feedparser",
    "pyarrow",
    "pyspark",
    "boto3",
)


def test_imports_point_down_the_flow() -> None:
    linted = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent.parent,
    )

    assert linted.returncode == 0, linted.stdout


def test_every_public_name_exists_and_is_documented() -> None:
    for name in pagedrift.__all__:
        assert getattr(pagedrift, name).__doc__, name


def test_the_page_about_the_library_names_all_that_is_stable() -> None:
    page = (Path(__file__).parent.parent / "docs" / "reference" / "python.md").read_text("utf-8")

    assert [name for name in pagedrift.__all__ if f"`{name}`" not in page] == []


ENTRIES = (
    "ArchiveWriter Client PageVersion Reading RedesignDetector TemplateClassifier TemplateClusterer TemplateIndex "
    "blocks check diff fingerprint history introduced judge measure patch pick read render same_template"
).split()
# By which commands choose what a reading reads, and how far; and what visits that end together hand to the archive.
OF_OUR_OWN = {"Input", "Look", "Packed", "ArchiveError"}


@pytest.mark.parametrize("name", ENTRIES)
def test_types_that_a_public_name_takes_or_returns_are_public_too(name: str) -> None:
    public = getattr(pagedrift, name)
    tree = ast.parse(Path(inspect.getfile(public)).read_text("utf-8"))
    taken = {node.id for each in annotations(tree, name) for node in ast.walk(each) if isinstance(node, ast.Name)}
    ours = {type_ for type_ in taken if is_ours(tree, type_) and not type_.startswith("_")}

    assert ours - OF_OUR_OWN <= set(pagedrift.__all__)


def annotations(tree: ast.Module, name: str) -> Iterator[ast.expr]:
    """Give the annotations of a function, or of the public methods of a class."""
    found = next(node for node in tree.body if getattr(node, "name", "") == name)
    methods = [found] if isinstance(found, ast.FunctionDef) else getattr(found, "body", [])
    for method in methods:
        if isinstance(method, ast.FunctionDef) and (method.name == "__init__" or not method.name.startswith("_")):
            arguments = (*method.args.args, *method.args.kwonlyargs)
            yield from (each.annotation for each in arguments if each.annotation)
            yield from filter(None, (method.returns,))


def is_ours(tree: ast.Module, name: str) -> bool:
    """Tell whether a name is a class of this package, and no plain type with a name."""
    if name in ("Path", "Any") or not name[0].isupper() or len(name) == 1:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pagedrift"):
            if name in {each.asname or each.name for each in node.names}:
                return True
        elif isinstance(node, ast.ClassDef) and node.name == name:
            return True
    return False


def test_what_type_checkers_see_is_what_the_package_offers() -> None:
    source = ast.parse(Path(pagedrift.__file__).read_text())
    seen = {
        name.name
        for node in ast.walk(source)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pagedrift.")
        for name in node.names
        if name.name != "__version__"
    }

    assert seen == set(pagedrift.__all__) == set(pagedrift._HOMES)
    assert seen == {name for name in dir(pagedrift) if not name.startswith("__")}


def test_a_name_that_is_not_public_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'unpack'"):
        _ = pagedrift.unpack


def test_every_file_of_a_command_is_a_command() -> None:
    folder = Path(cli.__file__).parent
    modules = [*folder.glob("*.py"), *(path.parent for path in folder.glob("*/__init__.py"))]
    files = {path.stem.replace("_", "-") for path in modules}

    helpers = {"--init--", "audit-gate", "common", "installation", "page-renderer", "redesigned-state"}
    assert {name.removesuffix("-command") for name in files - helpers} == set(cli.COMMANDS)


def test_importing_pagedrift_loads_nothing_heavy() -> None:
    code = "import json, sys; import pagedrift; print(json.dumps(list(sys.modules)))"
    loaded = json.loads(subprocess.check_output([sys.executable, "-c", code]))

    assert [name for name in HEAVY if name in loaded] == []


@pytest.mark.parametrize(("choice", "native"), [("python", False), ("", True)])
def test_an_environment_variable_chooses_the_kernels(choice: str, native: bool) -> None:
    code = "from pagedrift._kernels import NATIVE; print(NATIVE)"
    environment = {**os.environ, "PAGEDRIFT_KERNELS": choice}
    answer = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)

    assert answer.strip() == str(native)


def test_without_compiled_kernels_one_warning_says_how_to_get_them() -> None:
    code = (
        "import sys; sys.modules['pagedrift._kernels.scan_cy'] = None\n"
        "import pagedrift\n"
        "print(pagedrift.PageVersion('', b'<p>One <b>two').words)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "('One', 'two')"
    assert ran.stderr.count("RuntimeWarning") == 1
    assert "gcc" in ran.stderr


def test_the_version_is_the_one_in_the_metadata() -> None:
    assert metadata.version("pagedrift") == pagedrift.__version__


def test_a_value_of_many_fields_is_made_with_keywords() -> None:
    allowed = {"RenderedNode"}  # made in a hot loop
    found = {
        node.name
        for file in Path(pagedrift.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and len(positional_fields(node)) > 4
    }
    assert found == allowed


def positional_fields(node: ast.ClassDef) -> list[str]:
    """Name the fields of a dataclass that may be given without a keyword."""
    decorators = [ast.unparse(each) for each in node.decorator_list]
    if not any("dataclass" in each and "kw_only" not in each for each in decorators):
        return []
    names: list[str] = []
    for field in node.body:
        if isinstance(field, ast.AnnAssign):
            if ast.unparse(field.annotation) == "KW_ONLY":
                break
            names.append(ast.unparse(field.target))
    return names


def test_a_class_name_has_one_meaning() -> None:
    homes: dict[str, set[str]] = {}
    for file in Path(pagedrift.__file__).parent.rglob("*.py"):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, set()).add(str(file))

    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
