"""Names of the environment variables that an imported API reads, and the hosts that its secrets go to.

A document must not choose which variables are sent to its own server: their names begin with a prefix of the
project, the well-known credentials of others are refused, and no variable gets a second host unasked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from toolgen.importers.imported_tool import SourceError
from toolgen.python_source.names import snake

_WELL_KNOWN: Mapping[str, str] = {
    "ACTIONS_": "GitHub Actions",
    "AIRTABLE_": "Airtable",
    "ALIBABA_": "Alibaba Cloud",
    "ANTHROPIC_": "Anthropic",
    "ARM_": "Azure",
    "ATLASSIAN_": "Atlassian",
    "AWS_": "Amazon Web Services",
    "AZURE_": "Azure",
    "BITBUCKET_": "Bitbucket",
    "CARGO_": "Cargo",
    "CI_": "GitLab CI",
    "CIRCLE_": "CircleCI",
    "CLOUDFLARE_": "Cloudflare",
    "COHERE_": "Cohere",
    "CONSUL_": "Consul",
    "DATABASE_": "a database",
    "DATADOG_": "Datadog",
    "DD_": "Datadog",
    "DEEPSEEK_": "DeepSeek",
    "DIGITALOCEAN_": "DigitalOcean",
    "DOCKER_": "Docker",
    "FIREBASE_": "Firebase",
    "GCLOUD_": "Google Cloud",
    "GCP_": "Google Cloud",
    "GEMINI_": "Google",
    "GH_": "GitHub",
    "GITHUB_": "GitHub",
    "GITLAB_": "GitLab",
    "GOOGLE_": "Google",
    "GROQ_": "Groq",
    "HCLOUD_": "Hetzner Cloud",
    "HEROKU_": "Heroku",
    "HF_": "Hugging Face",
    "HUGGINGFACE_": "Hugging Face",
    "HUGGING_FACE_": "Hugging Face",
    "JIRA_": "Jira",
    "KUBECONFIG": "Kubernetes",
    "LINEAR_": "Linear",
    "MAILGUN_": "Mailgun",
    "MISTRAL_": "Mistral",
    "MYSQL_": "MySQL",
    "NETLIFY_": "Netlify",
    "NOTION_": "Notion",
    "NPM_": "npm",
    "NODE_AUTH_": "npm",
    "OPENAI_": "OpenAI",
    "OPENROUTER_": "OpenRouter",
    "PERPLEXITY_": "Perplexity",
    "PGPASS": "PostgreSQL",
    "PIP_": "pip",
    "POSTGRES_": "PostgreSQL",
    "PYPI_": "PyPI",
    "REDIS_": "Redis",
    "REPLICATE_": "Replicate",
    "SENDGRID_": "SendGrid",
    "SENTRY_": "Sentry",
    "SLACK_": "Slack",
    "SNOWFLAKE_": "Snowflake",
    "SSH_": "SSH",
    "STRIPE_": "Stripe",
    "SUPABASE_": "Supabase",
    "TELEGRAM_": "Telegram",
    "TF_": "Terraform",
    "TOGETHER_": "Together",
    "TOOLGEN_": "toolgen",
    "TWILIO_": "Twilio",
    "TWINE_": "PyPI",
    "UV_": "uv",
    "VAULT_": "Vault",
    "VERCEL_": "Vercel",
    "XAI_": "xAI",
}
"""Beginning of a variable's name → whose credentials or settings begin so."""

_PREFIX = re.compile(r"[A-Z][A-Z0-9_]{0,39}")
_WORDS = re.compile(r"[^A-Za-z0-9]+")
BASE_URL = "BASE_URL"


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of one imported API: all names begin with `stem`."""

    stem: str
    allowed: Collection[str] = ()  # credentials of others that the user named

    def name(self, *words: str) -> str:
        """The name of one variable: MYAPP_PETSTORE_API_KEY."""
        parts = (snake(_WORDS.sub("_", word), "api") for word in words)
        return re.sub("_+", "_", "_".join([self.stem, *parts])).strip("_").upper()

    def secret(self, *words: str) -> str:
        """The name of a variable that holds a secret. Raises `SourceError` for one of somebody else's."""
        name = self.name(*words)
        owner = owner_of(name)
        if owner and name not in self.allowed:
            raise SourceError(
                f"the document asks for {name}, which is where a credential of {owner} is kept",
                f"choose other names with --env-prefix, or send this one with --allow-variable {name}",
            )
        return name


def owner_of(name: str) -> str:
    """Whose variables begin like `name`; empty where nobody's are known to."""
    return next((owner for start, owner in _WELL_KNOWN.items() if name.startswith(start)), "")


def prefix_of(words: str) -> str:
    """A prefix made of the name of a project, under which nobody else keeps credentials."""
    found = _WORDS.sub("_", words).strip("_").upper()[:32].rstrip("_")
    usable = _PREFIX.fullmatch(found) and not owner_of(f"{found}_")
    return found if usable else f"APP_{found}".rstrip("_")


def checked_prefix(given: str) -> str:
    """What the user gave as a prefix. Raises `SourceError` where no variable can begin so."""
    prefix = given.rstrip("_")
    if not _PREFIX.fullmatch(prefix):
        raise SourceError(
            f"--env-prefix {given!r} begins no variable's name",
            "upper-case letters, digits and _, as in MYAPP",
        )
    return prefix


def stem_of(prefix: str, title: str) -> str:
    """What the names of an API's variables begin with: the project's prefix, then the API's title."""
    kept = re.sub(r"(?i)\b(open)?api\b", " ", title)
    return f"{prefix}_{snake(_WORDS.sub('_', kept), 'api')}".upper()


def earlier_stem(specs: Sequence[Mapping[str, Any]]) -> str:
    """What the variables of earlier imported specs begin with; empty where that is not one word for all."""
    names = {str(call["base_url"]) for spec in specs for call in calls_of(spec) if "base_url" in call}
    found = names.pop() if len(names) == 1 else ""
    return found.removesuffix(f"_{BASE_URL}") if found.endswith(f"_{BASE_URL}") else ""


def calls_of(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """How each operation of an imported spec is called."""
    carried = spec.get("x-openapi")
    if isinstance(carried, dict):
        operations = carried.get("operations")
        found = operations.values() if isinstance(operations, dict) else (carried,)
        yield from (call for call in found if isinstance(call, dict))


@dataclass(frozen=True, slots=True, order=True)
class Sent:
    """A secret, and where it goes."""

    variable: str
    host: str  # scheme, host and port; empty where the environment says where the API is
    base_url: str  # the variable that says where else it is


def sent(specs: Sequence[Mapping[str, Any]]) -> list[Sent]:
    """Every secret that tools of these specs send, sorted."""
    return sorted(
        {
            Sent(str(scheme[key]), origin_of(str(call.get("server", ""))), str(call.get("base_url", "")))
            for spec in specs
            for call in calls_of(spec)
            for scheme in _schemes(call)
            for key in ("secret", "username", "password")
            if key in scheme
        }
    )


def _schemes(call: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    listed = call.get("security")
    yield from (each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()


def refuse_other_hosts(new: Sequence[Sent], known: Sequence[Sent], allowed: Collection[str]) -> None:
    """Raise `SourceError` where a variable that goes to one host already would go to another one, too."""
    hosts: dict[str, set[str]] = {}
    for each in known:
        hosts.setdefault(each.variable, set()).add(each.host)
    for each in new:
        before = hosts.get(each.variable)
        if before and each.host not in before and each.variable not in allowed:
            there = ", ".join(sorted(host or "where the environment says" for host in before))
            raise SourceError(
                f"{each.variable} is sent to {there} by specs that are there; this document would send it to "
                f"{each.host or 'where the environment says'}",
                f"choose another --env-prefix, or allow it with --allow-variable {each.variable}",
            )


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL; empty for no URL."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    if not (parts.scheme and parts.hostname):
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}"
