"""Every diagnostic code: its severity, what it reports, why, and how to fix it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Code:
    """The documentation of a diagnostic code, as `toolgen explain` shows it."""

    severity: Literal["error", "warning"]
    title: str  # one line
    why: str  # why it is refused, or worth a warning
    fix: str  # what to do about it


def error(title: str, why: str, fix: str) -> Code:
    """Return a code that refuses; no setting silences it."""
    return Code("error", title, why, fix)


def warning(title: str, why: str, fix: str) -> Code:
    """Return a code that warns."""
    return Code("warning", title, why, fix)


# The text of a file: not YAML, or YAML that JSON cannot express.
YAML: dict[str, Code] = {
    "alias-bomb": error(
        "aliases that expand to too many values",
        "A few lines of aliases can expand to billions of values, and programs that walk them would hang.",
        "Write the values out, or share a schema by `$ref`.",
    ),
    "alias-cycle": error(
        "an alias inside the value that it names",
        "The value would be infinite; JSON cannot express it.",
        "Use a `$ref` for a schema that contains itself.",
    ),
    "control-character": error(
        "a control character",
        "Editors, terminals and diffs hide control characters, and YAML forbids them.",
        'Remove it, or write it as an escape in double quotes: "\\u0007".',
    ),
    "duplicate-key": error(
        "a key that is written twice in one mapping",
        "Most readers keep the last one and silently drop the other.",
        "Remove one of the two.",
    ),
    "empty-file": error(
        "a file without a document",
        "Every file below the specs folder is a tool or a file of shared schemas.",
        "Write a tool, or remove the file.",
    ),
    "key-not-text": error(
        "a key that is not text",
        "JSON keys are strings; `200:` is read as a number, `null:` as null.",
        'Quote the key: "200".',
    ),
    "lone-surrogate": error(
        "half of a surrogate pair",
        "It is not a character, and no file in UTF-8 can hold it.",
        'Write the character itself, or all its digits: "\\U0001F600".',
    ),
    "merge-key": error(
        "the merge key `<<`",
        "It belongs to YAML 1.1. In YAML 1.2 it would be a property called `<<`.",
        "Write the keys out, or share the schema by `$ref`.",
    ),
    "no-specs": error(
        "a specs folder without a tool",
        "Generating from nothing would delete everything that was generated before.",
        "Write a tool with `toolgen new`, or correct `specs` in the configuration.",
    ),
    "not-a-json-number": error(
        "a number that JSON cannot express",
        "Infinity, not-a-number and numbers out of range can be neither published nor compared.",
        "Leave the bound out, write a number that JSON has, or quote it if text is meant.",
    ),
    "not-utf-8": error(
        "a file that is not UTF-8",
        "A wrong guess at the encoding would change names.",
        "Save the file as UTF-8.",
    ),
    "several-documents": error(
        "more than one document in a file",
        "One tool per file keeps reviews simple; reading only the first would silently lose the other.",
        "Move the second document to a file of its own.",
    ),
    "too-deep": error(
        "mappings and lists that are nested too deeply",
        "Programs that walk such data fail later, far from the cause.",
        "Move the inner parts to `$defs`, and refer to them.",
    ),
    "unknown-alias": error(
        "an alias without its anchor",
        "Text that begins with `*` is an alias in YAML, and nothing above it has that name.",
        "Write the anchor `&name` before the value, or quote the text.",
    ),
    "unknown-tag": error(
        "a YAML tag that has no meaning here",
        "Specs hold JSON data; tags for other types, or for running code, are not supported.",
        "Remove the tag; quote the value if it is text.",
    ),
    "yaml-syntax": error(
        "invalid YAML",
        "The file cannot be read beyond this place.",
        "Follow the hint; most often, text with a colon, a quote or a bracket must be quoted.",
    ),
    "yaml-version": error(
        "a `%YAML` line with another version",
        "Specs are read as YAML 1.2, in which `no` and `on` are text.",
        "Remove the `%YAML` line.",
    ),
}

# The fields of a spec.
SPEC_LANGUAGE: dict[str, Code] = {
    "ambiguous-name": error(
        "a tool name that other YAML parsers read as true or false",
        "Many parsers still use the booleans of YAML 1.1 and would name this tool `true`.",
        'Quote the name: name: "yes".',
    ),
    "bad-content": error(
        "an entry of `content` that no result can satisfy, or that takes no block",
        "A block belongs to the first entry with its type and media type; other entries do not count it.",
        "Give each entry media types of its own, and limits that a result can have.",
    ),
    "bad-page": error(
        "a `page` whose items or cursors are not in the schemas",
        "A response that is too large ends between two of its items, and its cursor leads to the others.",
        "Point to an array and a string of the response, and to an optional string of the request.",
    ),
    "bad-value": error(
        "a value that the field does not accept",
        "Names must be valid for every provider; other fields have the bounds of the language.",
        "Use a value that the message allows.",
    ),
    "duplicate-name": error(
        "a name that is used twice in one tool",
        "It would be ambiguous.",
        "Rename or remove one of them.",
    ),
    "empty-field": error(
        "a field without a value",
        "An empty `confirm:` must not be mistaken for a tool without confirmation.",
        "Give the field a value, or leave it out.",
    ),
    "missing-field": error(
        "a field that every tool needs",
        "A tool has at least a name, a description and an input schema.",
        "Add the field.",
    ),
    "not-a-tool": error(
        "a file that is neither a tool nor shared schemas",
        "Every file below the specs folder is one of the two.",
        "Write `name`, `description` and `input_schema`; or only `$defs`.",
    ),
    "taken-name": error(
        "an injected name that is reserved, or a group with the name of a tool",
        "Injected values are keyword arguments of `execute`, beside `request` and `context`; OpenAI reserves "
        "the namespace with a tool's name.",
        "Choose another name.",
    ),
    "unknown-field": error(
        "a field that the spec language does not have",
        "A misspelt field would otherwise be silently ignored.",
        "Use one of the language's fields, or an `x-` key at the top of the file to carry data of your own.",
    ),
    "wrong-type": error(
        "a value of the wrong type",
        "Values are never converted silently: version 1.10 would become 1.1.",
        "Write the value as the message says; quote text that looks like a number.",
    ),
}

# One schema by itself.
JSON_SCHEMA: dict[str, Code] = {
    "invalid-pattern": error(
        "a pattern that is not a regular expression",
        "Patterns are enforced on every call; one that does not compile cannot be.",
        "Write an ECMA-262 regular expression, in single quotes.",
    ),
    "invalid-schema": error(
        "a schema that is not valid JSON Schema",
        "Schemas are published unchanged, and clients refuse tools with invalid ones.",
        "Write the keyword as its draft of JSON Schema defines it.",
    ),
    "misspelt-keyword": error(
        "a keyword that is almost one of JSON Schema",
        "JSON Schema ignores unknown keywords: the rule would not be enforced.",
        "Write the keyword that is meant, or begin it with `x-`.",
    ),
    "root-not-object": error(
        "a schema whose root is not `type: object`",
        "MCP requires it of inputs: arguments are an object.",
        "Write `type: object`.",
    ),
    "too-complex": error(
        "an input that exceeds a limit of complexity",
        "A few lines can describe more work than any machine can do; docs/limits.md lists the limits.",
        "Make it smaller; the message names the limit.",
    ),
    "unknown-draft": error(
        "an unsupported `$schema`",
        "The validator must know what the keywords mean; toolgen supports 2020-12 and draft-07.",
        "Leave `$schema` out for 2020-12, or name draft-07.",
    ),
    "unknown-type": error(
        "a type that JSON Schema does not have",
        "JSON has seven types. In YAML, the one called null is written in quotes.",
        'Write array, boolean, integer, "null", number, object or string.',
    ),
}

# References between schemas.
REFERENCES: dict[str, Code] = {
    "absolute-ref": error(
        "a `$ref` to an absolute path",
        "Other machines do not have that file, and specs must not read files outside of their folder.",
        "Write a path relative to the file that contains the `$ref`.",
    ),
    "dangling-ref": error(
        "a `$ref` without a target",
        "The schema that it refers to does not exist, so nothing can be enforced.",
        "Correct the path or the name, or write the definition.",
    ),
    "escaping-ref": error(
        "a `$ref` out of the specs folder",
        "A spec from elsewhere could otherwise read any file on the machine.",
        "Move the shared file below the specs folder.",
    ),
    "looping-ref": error(
        "a `$ref` that leads back to itself",
        "It never reaches a schema: a validator would loop for ever.",
        "Recurse through `properties` or `items`.",
    ),
    "mixed-drafts": error(
        "a `$ref` into a file of another draft",
        "Keywords differ between drafts, and one schema has one draft.",
        "Write the same `$schema` in both, or in neither.",
    ),
    "remote-ref": error(
        "a `$ref` that would need the network",
        "The same specs must give the same code anywhere, so nothing is fetched.",
        "Copy the schema into a file below the specs folder.",
    ),
    "unbundled-ref": error(
        "a reference to a shared file that cannot be bundled",
        "Below an `$id`, `#` means that schema and not the root, so the copy would not be found.",
        "Remove the `$id`, or use a plain `$ref`.",
    ),
}

# Parts of a spec that contradict each other: examples, placeholders, names.
CONSISTENCY: dict[str, Code] = {
    "bad-placeholder": error(
        "a placeholder that no property of the request can fill",
        "The question to the user would be incomplete.",
        "Write {path.to.value} or {list|count} with names of the input schema.",
    ),
    "duplicate-tool": error(
        "two tools with the same name or alias",
        "A call could reach only one of them.",
        "Rename a tool or an alias.",
    ),
    "example-misfit": error(
        "an example that violates the schema",
        "Examples drive docs, mock and contract tests, so they must be valid calls.",
        "Change the example, or the schema.",
    ),
    "contradicting-asks": warning(
        "two examples with the same `ask` that expect different calls",
        "A model that is asked the same makes the same call, so that one of the two fails as a test.",
        "Write into `ask` what distinguishes the two, or remove one of them.",
    ),
    "conflicting-options": error(
        "two fields that a provider does not take together",
        "It would refuse every request with this tool.",
        "Remove one of the two.",
    ),
    "output-and-error": error(
        "an example with an output and an error",
        "A call ends in one or the other.",
        "Remove one of them.",
    ),
    "unknown-tool": error(
        "an example that names a tool which no spec has",
        "`not` has the tools that a model must not call. A misspelt name would never be called, so that the "
        "test could not fail.",
        "Use the `name` of another tool in the specs folder.",
    ),
    "sunset-passed": error(
        "a deprecated tool whose last day is over",
        "Callers know that it stops working after `deprecated.sunset`; toolgen does not stop it. Only "
        "`toolgen check` looks at the calendar: `generate` makes the same code on every day.",
        "Remove the spec, set `enabled: false`, or announce a later day.",
    ),
    "undeclared-error": error(
        "an example that ends in an undeclared error",
        "Errors are part of the contract.",
        "Declare the code under `errors`.",
    ),
}

# Published and generated names, targets, dialects.
TARGETS: dict[str, Code] = {
    "inject-type": error(
        "an injected type that Python cannot import",
        "The generated code imports the module of each injected type, so that type checkers know it.",
        "Write module and class, such as sqlite3.Connection; a built-in type, such as str; or typing.Any.",
    ),
    "name-collision": error(
        "two tools with the same published or Python name",
        "Their files, classes or definitions would overwrite each other.",
        "Rename one of them and keep its old name among its aliases, or set targets.<target>.name.",
    ),
    "target-name": error(
        "a name that a target does not accept",
        "The provider would refuse the whole list of tools, not just this one.",
        "Choose a name that matches the pattern in the message.",
    ),
    "dialect-loss": warning(
        "a part of a schema that a provider's dialect cannot express",
        "The provider does not enforce it on the model; toolgen enforces it on every call.",
        "Simplify the schema, or leave targets.<target>.strict out; docs/dialects.md lists the losses.",
    ),
    "provider-limit": warning(
        "more than a provider accepts",
        "It refuses the whole request, not just this tool.",
        "Shorten it, or give each request fewer tools: `toolkit.select(…)`.",
    ),
}

# Everything around the specs: configuration, files, the command line.
PROJECT: dict[str, Code] = {
    "no-configuration": error(
        "the project is not configured",
        "Settings are looked for in the folder where toolgen starts and above, up to the repository's root.",
        "Run `toolgen init` in the project's folder, or start toolgen there (`-C DIR`).",
    ),
    "two-configurations": error(
        "two places configure the same project",
        "One of them would be silently ignored.",
        "Keep toolgen.toml or the table [tool.toolgen] in pyproject.toml, and delete the other.",
    ),
    "invalid-toml": error(
        "the configuration is not valid TOML",
        "No setting can be read from it.",
        "Fix the line that the message points at; https://toml.io has the grammar.",
    ),
    "unreadable-configuration": error(
        "the configuration cannot be read",
        "Without it toolgen would have to guess where specs and output are.",
        "Make the file readable, and save it as UTF-8.",
    ),
    "unsafe-configuration": error(
        "a configuration above this folder that another user may have written",
        "It decides which files are read and written. Above the folder where toolgen starts, the file and "
        "its folder must be yours or root's, and not world-writable.",
        "Start in that folder (`-C DIR`), or name it in TOOLGEN_SAFE_DIRECTORY (`*`: every folder).",
    ),
    "unknown-setting": error(
        "a setting that toolgen does not have",
        "A misspelt setting would otherwise be silently ignored.",
        "Use specs, output, implementations, targets, templates, coerce; [server], [breaking] or [test].",
    ),
    "invalid-setting": error(
        "a setting with an invalid value",
        "The setting has no such value.",
        "Use a value that the message allows.",
    ),
    "outside-project": error(
        "a path that leaves its folder",
        "A configuration in one folder must not make toolgen read or write in another one.",
        "Move the configuration up, to a folder that contains all of them; remove links that lead outside.",
    ),
    "overlapping-folders": error(
        "the output folder and another one contain each other",
        "Generated files must not be mixed with files that are written by hand.",
        "Give the output a folder of its own.",
    ),
    "unknown-target": error(
        "a target that does not exist",
        "There is no template folder of that name.",
        "Use a built-in target, or add a folder of that name to the project's `templates` folder.",
    ),
    "bad-target": error(
        "a template folder that is not a valid target",
        "Its target.yaml has the JSON Schema dialect, the tool names that the protocol accepts, and limits.",
        "Fix its target.yaml; docs/dialects.md has an example.",
    ),
    "bad-template": error(
        "a template that cannot be used",
        "Its part of the output would be missing, or not be valid Python.",
        "Fix the template that the message names; the built-in ones are examples.",
    ),
    "template-limit": error(
        "a template that exceeds a limit",
        "`check` renders the templates of any project it runs in. They have 4 seconds of work, 20 ms more "
        "for each tool, 256 MB of memory, and 64 million characters to print.",
        "Print less, or loop over less: a template prints one file.",
    ),
    "no-templates": error(
        "the templates folder does not exist",
        "The setting `templates` names a folder with further or overriding targets.",
        "Create it, or remove the setting.",
    ),
    "unreadable-spec": error(
        "a spec that cannot be read",
        "Its tool would be missing from the output.",
        "Make it a readable file with a printable name.",
    ),
    "spec-outside": error(
        "a link that leaves the specs folder",
        "The output must depend on the specs folder alone.",
        "Move the file below the specs folder.",
    ),
    "foreign-file": error(
        "a file in the output folder that toolgen did not write",
        "toolgen never replaces files that it did not write.",
        "Move it away, or set `output` to another folder.",
    ),
    "cannot-write": error(
        "files could not be written",
        "toolgen writes all files or none: nothing was changed.",
        "Check the file that the message names: permissions, free space, or a folder where a file should be.",
    ),
    "file-exists": error(
        "a new file exists already",
        "`init`, `new` and `import` never replace a file.",
        "Choose another name, or remove the file.",
    ),
    "unreadable-file": error(
        "a file of the project cannot be read",
        "The command needs its content.",
        "Make it readable, and save it as UTF-8.",
    ),
    "not-installed": error(
        "a part of toolgen is not installed",
        "The base package is the runtime of generated code; the generator is an extra.",
        "pip install 'toolgen[cli]'",
    ),
    "unsupported-version": error(
        "an unsupported version of a tool that toolgen uses",
        "Other versions of ruff and of the model engine have other options and generate other code.",
        "pip install 'toolgen[cli]', or install toolgen in an environment of its own (pipx, uvx).",
    ),
    "bad-fixtures": error(
        "fixtures of tests that cannot be used",
        "`test` calls the functions `toolgen_toolkit` and `toolgen_state` with a new folder.",
        "Correct what the message names; docs/testing.md has an example.",
    ),
    "not-generated": error(
        "there is no generated code to run",
        "`call` and `test` run the generated package with the configured implementations.",
        "Run `toolgen generate`.",
    ),
    "no-asks": error(
        "no example says what a user would ask",
        "`toolgen evals` writes a test of a model for each example with `ask`.",
        "Write `ask` into the examples of the tools that a model should find: ask: Order 24 brake pads.",
    ),
    "no-such-tool": error(
        "there is no tool by that name",
        "The call was not made.",
        "Use one of the names that the message lists, or an alias.",
    ),
    "bad-name": error(
        "an invalid tool name",
        "Providers accept up to 64 letters, digits, `_` and `-`, not beginning with a digit or `-`.",
        "Choose another name, for example create_purchase_order.",
    ),
    "bad-parameter": error(
        "an invalid parameter",
        "A parameter is written name:type or name:type:description.",
        "For example 'supplier_id:integer', 'note:string?:Free text' or 'tags:string[]'.",
    ),
    "bad-input": error(
        "the input of a call is not JSON",
        "The call was not made.",
        "Give JSON with --input, a file with --input @FILE, or stdin with --input -.",
    ),
    "bad-piece": error(
        "a file that is not a piece for an index",
        "An index is built from files that `generate --spec --piece` of this version wrote.",
        "Generate it again; do not edit or commit it.",
    ),
    "missing-piece": error(
        "a file of shared schemas without a piece for the index",
        "The classes of shared schemas are generated by an action of their own.",
        "Run `generate --spec` on the shared file, too, and give its piece to `generate --index`.",
    ),
    "differing-pieces": error(
        "pieces that were made with different options or versions",
        "All files of one package must be generated alike.",
        "Give every action the same options and the same toolgen, then build the index.",
    ),
    "bad-source": error(
        "a source that cannot be imported",
        "Nothing was written: part of a source would give only some of its tools.",
        "See `toolgen import --help`.",
    ),
    "cannot-compare": error(
        "there is nothing to compare with, or it cannot be read",
        "A comparison needs both sides: a change that nobody looked at is not a safe one.",
        "Give a git ref, a folder, an exported file or a server; the message names what fetches a ref.",
    ),
    "unknown-code": error(
        "a diagnostic code that does not exist",
        "It was mistyped, or belongs to another version of toolgen.",
        "`toolgen explain` lists all codes.",
    ),
    "usage": error(
        "a command line that toolgen does not understand",
        "It was mistyped, or belongs to another version of toolgen.",
        "`toolgen --help` lists the commands, `toolgen COMMAND --help` the arguments of each.",
    ),
}

# The implementations of the tools, for `check --implementations`.
IMPLEMENTATIONS: dict[str, Code] = {
    "implementation-missing": error(
        "a tool without an implementation",
        "It is listed, and every call of it is answered `not_implemented`.",
        "Write the module that the message names, or set `enabled: false` in the spec.",
    ),
    "implementation-import": error(
        "an implementation whose module cannot be imported",
        "Every call of its tool is answered `internal_error`.",
        "Fix the line that the message points at.",
    ),
    "implementation-class": error(
        "a module that does not define exactly one complete class for its tool",
        "The runtime cannot tell which class implements the tool; each call is answered `not_implemented`.",
        "Define one subclass of the generated class, with all of its abstract methods.",
    ),
    "implementation-signature": error(
        "a method whose signature does not match the spec",
        "The runtime passes the request, the context and the injected values by their names.",
        "Write the signature that the generated class has.",
    ),
    "implementation-constructor": error(
        "a class that cannot be created without arguments",
        "The runtime creates the one instance of an implementation without arguments.",
        "Inject what it needs (`inject` in the spec), or create it in `setup`.",
    ),
    "orphaned-implementation": warning(
        "an implementation that no tool uses",
        "Its spec was renamed or removed, or its module has another name than its tool.",
        "Rename the module, remove it, or begin its name with `_` if it is a helper.",
    ),
}

# Failures of `toolgen test`.
TESTS: dict[str, Code] = {
    "example-failed": error(
        "an example that ends in another way",
        "The examples are part of the contract: documentation, mocks and models rely on them.",
        "Correct the implementation, or the example: `toolgen test --update` writes how the call ends now.",
    ),
    "outcome-changed": error(
        "a call that ends in another way than is recorded",
        "The state that a call leaves, the question to the user, the text of an error are not in the spec.",
        "Correct the implementation, or record the change with `toolgen test --update` and review the diff.",
    ),
    "contract-broken": error(
        "an implementation that does not keep its contract",
        "Clients rely on what the spec says of every call: its errors, its annotations, its confirmation.",
        "Make the call that the message shows, and correct the implementation, or the spec.",
    ),
    "implementation-crashed": error(
        "an implementation that hangs or ends its process",
        "In a server, it would keep a worker thread, hold the event loop, or end the calls of other tools.",
        "Make its calls one by one with `toolgen call`; give it a `timeout` in the spec.",
    ),
}

# Lint rules: each has a module of its name in `toolgen.lint.rules`.
LINT: dict[str, Code] = {
    "ambiguous-stream": warning(
        "a stream whose chunks can be valid as the response",
        "The last item is the response. If it may be a chunk, too, the runtime refuses the stream unless the "
        "implementation yields an instance of the response's class or `ToolResult(response)`.",
        "Tell the schemas apart, or leave out `output_schema`.",
    ),
    "default-violates-schema": warning(
        "a default that violates its own schema",
        "Defaults are published unchanged. A call that sends this one is refused.",
        "Write a valid default, or leave it out.",
    ),
    "enum-outside-type": warning(
        "a value of an `enum` that `type` never allows",
        "The value can never occur. In YAML, 007 is a number; no string equals it.",
        "Quote the value, or change the type.",
    ),
    "ignored-sibling": warning(
        "keywords beside a `$ref` in draft-07",
        "Draft-07 ignores them.",
        "Put the `$ref` into `allOf`, or use 2020-12.",
    ),
    "contradicting-annotations": warning(
        "a tool that is annotated both read-only and destructive",
        "Clients go by one of the two, and some run read-only tools without asking the user.",
        "Set `readOnlyHint` or `destructiveHint` to false.",
    ),
    "contradicting-examples": warning(
        "two examples with the same input and different results",
        "Examples are the contract of a call. A mock can only give one of the two answers.",
        "Change one of the inputs, or remove an example.",
    ),
    "destructive-unconfirmed": warning(
        "a destructive tool that may act without the user's consent",
        "`destructiveHint` is only a hint to clients; `confirm` asks the user in any case.",
        "Add `confirm`, with `on_unsupported: deny` or `two_step`; or set `destructiveHint` to false.",
    ),
    "misspelt-annotation": warning(
        "an annotation that is spelt almost like one of MCP's",
        "Clients ignore it, so the tool has the default of the hint.",
        "Write it as MCP does; for a key of your own, choose a less similar name.",
    ),
    "output-not-object": warning(
        "an output schema whose root is not `type: object`",
        "MCP clients up to 2025-11-25 refuse such lists of tools, so they receive an object with `result`.",
        "Wrap the result as one property of an object.",
    ),
    "unenforced-format": warning(
        "an unknown format",
        "Unknown formats are published, but not enforced.",
        "Use a format of JSON Schema, or a `pattern`.",
    ),
    "unenforced-keyword": warning(
        "an unknown keyword in a schema",
        "It is published unchanged, but not enforced.",
        "Use a keyword of JSON Schema, or begin it with `x-` if it is intended.",
    ),
    "unsatisfiable-required": warning(
        "a required property that the schema forbids",
        "`additionalProperties: false` forbids undeclared properties, so no object is valid.",
        "Declare the property, or take it out of `required`.",
    ),
    "unshown-property": warning(
        "a property of a confirmed tool that its question does not show, or not as a whole",
        "The user says yes to a text that is the same for every value of it, and the tool acts on it. "
        "A question shows 200 characters of a value.",
        "Name the property in `confirm.message` and limit it with `maxLength`, or set `confirm.preview` and "
        "show all of it there.",
    ),
}

CODES: dict[str, Code] = {
    **YAML,
    **SPEC_LANGUAGE,
    **JSON_SCHEMA,
    **REFERENCES,
    **CONSISTENCY,
    **TARGETS,
    **PROJECT,
    **IMPLEMENTATIONS,
    **TESTS,
    **LINT,
}
