"""What stands in deploy/: each file is held by the tools of its kind, and all start the same roles the same way."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from cluster.settings import ClusterSettings, variable_of

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
KUBERNETES_VERSION = "1.32"
BIN = Path(sys.executable).parent
NO_SETTINGS = {"CROUPIER_NODE_IP", "CROUPIER_RAY_PORT", "CROUPIER_RAYLET_PORT"}
"""What the role script alone reads."""


def documents() -> list[dict[str, Any]]:
    return [document for path in KUBERNETES for document in yaml.safe_load_all(path.read_text())]


def of_kind(kind: str) -> dict[str, Any]:
    found = [document for document in documents() if document["kind"] == kind]
    assert len(found) == 1
    return found[0]


def pod_templates() -> dict[str, dict[str, Any]]:
    """The pods that run our image, by their component."""
    cluster = of_kind("RayCluster")["spec"]
    templates = [cluster["headGroupSpec"]["template"], of_kind("Deployment")["spec"]["template"]]
    templates += [group["template"] for group in cluster["workerGroupSpecs"]]
    return {template["metadata"]["labels"]["app.kubernetes.io/component"]: template for template in templates}


def compose() -> dict[str, Any]:
    answer = subprocess.run(
        [BIN / "docker-compose", "--file", DEPLOY / "compose.yaml", "config", "--format", "json"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "RAY_AUTH_TOKEN": "x" * 32},
    )
    config: dict[str, Any] = json.loads(answer.stdout)
    return config


def test_dockerfile_passes_its_linter() -> None:
    subprocess.run([BIN / "hadolint", DEPLOY / "Dockerfile"], check=True)


def test_yaml_passes_its_linter() -> None:
    rules = "{extends: default, rules: {line-length: {max: 120}, document-start: disable, braces: {max-spaces-inside: 0}, comments: {min-spaces-from-content: 1}}}"
    subprocess.run([BIN / "yamllint", "--strict", "-d", rules, DEPLOY], check=True)


def test_compose_refuses_to_start_without_a_token() -> None:
    environment = {name: text for name, text in os.environ.items() if name != "RAY_AUTH_TOKEN"}
    answer = subprocess.run(
        [BIN / "docker-compose", "--file", DEPLOY / "compose.yaml", "config", "-q"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert answer.returncode != 0
    assert "a secret of 32 characters" in answer.stderr


@pytest.mark.parametrize(
    "document", [d for d in documents() if d["kind"] != "RayCluster"], ids=lambda d: d["kind"]
)
def test_manifest_is_what_kubernetes_takes(document: dict[str, Any]) -> None:
    kubernetes_validate.validate(document, KUBERNETES_VERSION, strict=True)


@pytest.mark.parametrize("component", sorted(pod_templates()))
def test_pod_of_the_ray_cluster_is_what_kubernetes_takes(component: str) -> None:
    template = pod_templates()[component]
    pod = {"apiVersion": "v1", "kind": "Pod", **template, "metadata": {"name": "x", **template["metadata"]}}
    kubernetes_validate.validate(pod, KUBERNETES_VERSION, strict=True)


def test_ray_cluster_is_what_kuberay_takes() -> None:
    schema = json.loads((Path(__file__).parent / "raycluster.schema.json").read_text())
    jsonschema.validate(of_kind("RayCluster"), schema)


def test_misspelt_field_of_a_ray_cluster_is_found() -> None:
    schema = json.loads((Path(__file__).parent / "raycluster.schema.json").read_text())
    cluster = of_kind("RayCluster")
    cluster["spec"]["workerGroupSpecs"][0]["minReplica"] = 1
    with pytest.raises(jsonschema.ValidationError, match="minReplica"):
        jsonschema.validate(cluster, schema)


def test_compose_and_kubernetes_start_the_same_roles() -> None:
    services = compose()["services"]
    in_compose = {tuple(service["command"]) for name, service in services.items() if name != "valkey"}
    commands = [template["spec"]["containers"][0]["command"] for template in pod_templates().values()]
    assert {command[0] for command in commands} == {"croupier-role"}
    assert (
        {tuple(command[1:]) for command in commands} == in_compose == {("head",), ("worker",), ("gateway",)}
    )
    assert of_kind("RayCluster")["metadata"]["annotations"] == {"ray.io/overwrite-container-cmd": "true"}


def test_both_keep_every_write_and_evict_nothing() -> None:
    wanted = "--appendonly yes --appendfsync always --save  --maxmemory-policy noeviction"
    container = of_kind("StatefulSet")["spec"]["template"]["spec"]["containers"][0]
    assert wanted in " ".join(compose()["services"]["valkey"]["command"])
    assert wanted in " ".join(container["args"])


def test_every_variable_is_a_setting() -> None:
    text = "".join(
        path.read_text() for path in [*KUBERNETES, DEPLOY / "compose.yaml", DEPLOY / "croupier-role"]
    )
    used = set(re.findall(r"CROUPIER_[A-Z_]+", text))
    assert used - NO_SETTINGS <= {variable_of(name) for name in ClusterSettings.model_fields}


def test_ray_is_the_version_of_the_lock() -> None:
    locked = re.search(r"^ray==([\d.]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert locked is not None
    assert of_kind("RayCluster")["spec"]["rayVersion"] == locked[1]
