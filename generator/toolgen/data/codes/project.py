"""Codes of everything around the specs: configuration, files, the command line."""

from __future__ import annotations

from toolgen.data.codes.code import Code, error

PROJECT: dict[str, Code] = {
    "no-configuration": error(
        "the project is not configured",
        "Settings are looked for in the folder where toolgen starts and above, up to the repository's root.",
        "Run `toolgen init` in the project's folder, or start toolgen there (`-C DIR`).",
    ),
    "two-configurations": error(
        "two places configure the same project",
        "One of them would be ignored in silence.",
        "Keep toolgen.toml or the table [tool.toolgen] in pyproject.toml, and delete the other.",
    ),
    "invalid-toml": error(
        "the configuration is not TOML",
        "Nothing in it can be relied upon until it can be read.",
        "Mend the line that the message points at; https://toml.io has the grammar.",
    ),
    "unreadable-configuration": error(
        "the configuration cannot be read",
        "Without it toolgen would have to guess where specs and output are.",
        "Make the file readable, and save it as UTF-8.",
    ),
    "unsafe-configuration": error(
        "a configuration above this folder that another user may have written",
        "It says what is read and where it is written. Above the folder where toolgen starts, the file and "
        "its folder must be yours or root's, and not writable by everybody.",
        "Start in that folder (`-C DIR`), or name it in TOOLGEN_SAFE_DIRECTORY (`*`: every folder).",
    ),
    "unknown-setting": error(
        "a setting that toolgen does not have",
        "A misspelt setting would otherwise be ignored in silence.",
        "Use specs, output, implementations, targets, templates or coerce, or the section [server].",
    ),
    "invalid-setting": error(
        "a setting with a value that it cannot have",
        "toolgen would have to guess what was meant.",
        "Write the kind of value that the message asks for.",
    ),
    "outside-project": error(
        "a path that leaves the folder it must stay in",
        "A configuration in one folder must not make toolgen read or write in another one.",
        "Move the configuration up, to a folder that contains everything; remove links that lead outside.",
    ),
    "overlapping-folders": error(
        "the output folder and another one contain each other",
        "What is generated must never be mistaken for what is written by hand.",
        "Give the output a folder of its own.",
    ),
    "unknown-target": error(
        "a target that does not exist",
        "There is no folder of templates by that name.",
        "Use a built-in target, or add a folder of that name to the one that `templates` names.",
    ),
    "bad-target": error(
        "a folder of templates that is no target",
        "A target says in target.yaml which JSON Schema dialect and which tool names its protocol accepts.",
        "Mend its target.yaml; the built-in targets are examples.",
    ),
    "bad-template": error(
        "a template that cannot be used",
        "Its part of the output would be missing, or be no Python.",
        "Mend the template that the message names; the built-in ones are examples.",
    ),
    "template-limit": error(
        "a template that takes too much",
        "`check` renders the templates of any project it is run in. They have 4 seconds of work, 20 ms more "
        "for each tool, 256 MB of memory, and 64 million characters to print.",
        "Print less, or loop over less: a template prints one file.",
    ),
    "no-templates": error(
        "the folder of templates is not there",
        "The setting `templates` names a folder with further or overriding targets.",
        "Create it, or remove the setting.",
    ),
    "unreadable-spec": error(
        "a spec that cannot be read",
        "Its tool would be missing from everything that is generated.",
        "Make it a readable file with a printable name.",
    ),
    "spec-outside": error(
        "a link that leaves the specs folder",
        "What is generated must depend on nothing but the specs folder.",
        "Move the file below the specs folder.",
    ),
    "foreign-file": error(
        "a file in the way that toolgen did not write",
        "It may be somebody's work, so toolgen does not replace it.",
        "Move it away, or set `output` to another folder.",
    ),
    "cannot-write": error(
        "files could not be written",
        "toolgen writes all files or none: nothing was changed.",
        "Look at what the message names: permissions, free space, or a folder where a file should be.",
    ),
    "file-exists": error(
        "a file that would be new exists already",
        "`init`, `new` and `import` never replace what is there.",
        "Choose another name, or remove the file.",
    ),
    "unreadable-file": error(
        "a file of the project cannot be read",
        "toolgen needs what is in it to go on.",
        "Make it readable, and save it as UTF-8.",
    ),
    "not-installed": error(
        "a part of toolgen is not installed",
        "The base package is the runtime of generated code; the generator is an extra.",
        "pip install 'toolgen[cli]'",
    ),
    "unsupported-version": error(
        "a tool that toolgen uses is installed in a version that it does not work with",
        "Other versions of ruff and of the model engine have other options and write other code.",
        "pip install 'toolgen[cli]', or install toolgen in an environment of its own (pipx, uvx).",
    ),
    "not-generated": error(
        "there is no generated code to run",
        "`call` runs the generated package with the configured implementations.",
        "Run `toolgen generate`.",
    ),
    "no-such-tool": error(
        "there is no tool by that name",
        "A call needs exactly one tool.",
        "Use one of the names that the message lists, or an alias.",
    ),
    "bad-name": error(
        "a name that a tool cannot have",
        "Providers accept up to 64 letters, digits, `_` and `-`, not beginning with a digit or `-`.",
        "Choose such a name, for example create_purchase_order.",
    ),
    "bad-parameter": error(
        "a parameter that cannot be read",
        "A parameter is written name:type or name:type:description.",
        "For example 'supplier_id:integer', 'note:string?:Free text' or 'tags:string[]'.",
    ),
    "bad-input": error(
        "the input of a call is not JSON",
        "The call was not made.",
        "Give JSON with --input, a file with --input @FILE, or stdin with --input -.",
    ),
    "bad-piece": error(
        "a file that is no piece of an index",
        "The index is made of what `generate --spec --piece` writes, by the same version of toolgen.",
        "Make it again; it is not for editing, and not for keeping.",
    ),
    "differing-pieces": error(
        "pieces that were made with different options or versions",
        "One package cannot be generated in two ways.",
        "Give every action the same options and the same toolgen, then make the index.",
    ),
    "bad-source": error(
        "a source that tools cannot be imported from",
        "Half of a source would be half of the tools; nothing was written.",
        "Give what the message asks for: see `toolgen import --help`.",
    ),
    "unknown-code": error(
        "a diagnostic code that does not exist",
        "It was mistyped, or belongs to another version of toolgen.",
        "`toolgen explain` lists them all.",
    ),
    "usage": error(
        "a command line that toolgen does not understand",
        "It was mistyped, or belongs to another version of toolgen.",
        "`toolgen --help` lists the verbs, `toolgen VERB --help` what each takes.",
    ),
}
