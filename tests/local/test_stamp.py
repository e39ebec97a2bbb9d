"""A built template is for one architecture: functions and layers can't differ."""

from pathlib import Path

from samcli.yamlhelper import yaml_parse

from local.containers.stamp import fix_architecture
from local.template import ROOT, globals_, resources, template


def test_built_template_accepts_no_other_architecture(tmp_path: Path) -> None:
    built = tmp_path / "template.yaml"
    built.write_text((ROOT / "template.yaml").read_text())
    before = yaml_parse(built.read_text())
    fix_architecture(built, "x86_64")
    after = yaml_parse(built.read_text())
    parameter = after["Parameters"].pop("Architecture")
    assert parameter["AllowedValues"] == [parameter["Default"]] == ["x86_64"]
    assert "make build ARCHITECTURE" in parameter["ConstraintDescription"]
    del before["Parameters"]["Architecture"]
    assert after == before


def test_one_parameter_sets_architecture_of_functions_and_layers() -> None:
    by_parameter = {"Ref": "Architecture"}
    assert globals_()["Architectures"] == [by_parameter]
    layer = template()["Resources"]["Dependencies"]
    assert layer["Metadata"]["BuildArchitecture"] == by_parameter
    assert layer["Properties"]["CompatibleArchitectures"] == [by_parameter]
    functions = resources("AWS::Serverless::Function").values()
    assert not [f for f in functions if "Architectures" in f]


def test_make_build_stamps_the_architecture() -> None:
    makefile = (ROOT / "Makefile").read_text()
    build = makefile.partition("\nbuild:")[2].partition("\n\n")[0]
    assert "--parameter-overrides Architecture=$(ARCHITECTURE)" in build
    assert "local.containers.stamp .aws-sam/build/template.yaml $(ARCHITECTURE)" in build
