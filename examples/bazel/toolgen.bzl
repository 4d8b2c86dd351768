"""Tools from specs: one action for each spec, and one for what all of them share.

    load("//:toolgen.bzl", "toolgen_package")

    toolgen_package(
        name = "generated",
        specs = glob(["specs/*.yaml"]),
        shared = glob(["specs/schemas/*.yaml"]),
    )
"""

ToolgenInfo = provider(
    doc = "The output of one spec.",
    fields = {"piece": "File: what the index needs to know about the tool."},
)

_TOOLCHAIN = {
    "_python": attr.label(
        default = "@toolgen//:python",
        allow_single_file = True,
        executable = True,
        cfg = "exec",
    ),
    "_toolgen": attr.label(default = "@toolgen//:files", cfg = "exec"),
}

def _path(*parts):
    return "/".join([part for part in parts if part])

def _out(ctx):
    return _path(ctx.bin_dir.path, ctx.label.workspace_root, ctx.label.package, ctx.attr.out)

def _run(ctx, args, inputs, outputs, mnemonic):
    start = ctx.actions.args()
    start.add_all(["-I", "-B", "-m", "toolgen", "generate"])
    ctx.actions.run(
        executable = ctx.executable._python,
        arguments = [start, args],
        inputs = depset(inputs, transitive = [ctx.attr._toolgen.files]),
        outputs = outputs,
        mnemonic = mnemonic,
        progress_message = "toolgen: %s" % ctx.label,
    )

def _tool_impl(ctx):
    tool = ctx.attr.tool
    files = [
        ctx.actions.declare_file(_path(ctx.attr.out, folder, tool + ".py"))
        for folder in (["definitions", "models", "tools"] if tool else [])
    ]
    if ctx.attr.shared_module:
        for folder in ["models/shared", "schemas"]:
            files.append(ctx.actions.declare_file(_path(ctx.attr.out, folder, ctx.attr.shared_module + ".py")))
    piece = ctx.actions.declare_file(ctx.label.name + ".piece.json")
    args = ctx.actions.args()
    args.add("--spec", ctx.file.src)
    args.add("--include-root", _path(ctx.label.workspace_root, ctx.label.package, ctx.attr.root))
    args.add("--shown-as", ctx.attr.root)
    args.add("--out", _out(ctx))
    args.add("--piece", piece)
    args.add("--package", ctx.attr.out.replace("/", "."))
    if ctx.attr.implementations:
        args.add("--implementations", ctx.attr.implementations)
    args.add_all(ctx.attr.targets, before_each = "--target")
    _run(ctx, args, [ctx.file.src] + ctx.files.shared, files + [piece], "ToolgenTool")
    return [DefaultInfo(files = depset(files)), ToolgenInfo(piece = piece)]

toolgen_tool = rule(
    doc = "The definition, the models and the class of one tool, and a piece for the index. With `shared_module`: the classes of shared schemas, and the schemas as data.",
    implementation = _tool_impl,
    attrs = dict(_TOOLCHAIN, **{
        "src": attr.label(mandatory = True, allow_single_file = [".yaml", ".yml"]),
        "shared": attr.label_list(allow_files = [".yaml", ".yml"], doc = "The shared schemas that it refers to."),
        "tool": attr.string(doc = "The tool's name in Python, as `toolgen outputs --spec` prints it."),
        "shared_module": attr.string(doc = "The module of a file of shared schemas, as `toolgen outputs --spec --include-root` prints it."),
        "root": attr.string(default = "specs", doc = "The specs folder; `$ref`s never leave it."),
        "out": attr.string(default = "generated", doc = "The package's folder."),
        "implementations": attr.string(doc = "The package with the hand-written tools."),
        "targets": attr.string_list(doc = "Empty: all that are built in."),
    }),
)

def _index_impl(ctx):
    names = ["__init__", "catalog", "definitions/__init__", "models/__init__", "models/shared/__init__", "schemas/__init__", "tools/__init__"] + ctx.attr.modules
    files = [ctx.actions.declare_file(_path(ctx.attr.out, name + ".py")) for name in names]
    files.append(ctx.actions.declare_file(_path(ctx.attr.out, "toolgen.manifest.json")))
    pieces = [spec[ToolgenInfo].piece for spec in ctx.attr.specs]
    args = ctx.actions.args()
    args.add("--out", _out(ctx))
    args.add_all("--index", pieces)
    _run(ctx, args, pieces, files, "ToolgenIndex")
    return [DefaultInfo(files = depset(files, transitive = [spec[DefaultInfo].files for spec in ctx.attr.specs]))]

toolgen_index = rule(
    doc = "The whole package: what `toolgen_tool` made of every spec, and what all tools share.",
    implementation = _index_impl,
    attrs = dict(_TOOLCHAIN, **{
        "specs": attr.label_list(mandatory = True, providers = [ToolgenInfo]),
        "out": attr.string(default = "generated"),
        "modules": attr.string_list(
            default = ["anthropic_tools", "bedrock_tools", "gemini_tools", "mcp_server", "openai_tools"],
            doc = "One for each target; `toolgen outputs --index` prints them.",
        ),
    }),
)

_FOLDERS_OF_SCHEMAS = ["common", "components", "definitions", "defs", "models", "schema", "schemas", "shared", "types"]

def _shared_module(src, root):
    """The module of the shared file `src`: its name after those of its folders that say more than that schemas are in them."""
    path = src[len(root) + 1:] if src.startswith(root + "/") else src
    words = path.rpartition(".")[0].split("/")
    return "_".join([word for word in words[:-1] if word not in _FOLDERS_OF_SCHEMAS] + words[-1:]).replace("-", "_").lower()

def toolgen_package(name, specs, shared = [], uses = {}, out = "generated", visibility = None, **options):
    """A package of tools. A spec's file is called like its tool: `get_order.yaml` holds `get_order`.

    A shared file that is edited runs the actions of all specs that are declared to use it: all of them, unless
    `uses` says better. What is not declared is not in the sandbox, and refused there as a dangling `$ref`.

    Args:
      name: of the target that has all of the package's files.
      specs: the tools' specs, one file each.
      shared: files of shared schemas.
      uses: spec → the shared files that it refers to, directly or not, where that is not all of them.
      out: the package's folder.
      visibility: of that target.
      **options: `root`, `implementations`, `targets`, as `toolgen_tool` has them.
    """
    targets = []
    for src in specs + shared:
        tool = src.rpartition("/")[2].rpartition(".")[0].replace("-", "_")
        target = "%s.%s" % (name, src.rpartition(".")[0].replace("/", "."))
        toolgen_tool(
            name = target,
            src = src,
            shared = uses.get(src, shared),
            tool = tool if src in specs else "",
            shared_module = _shared_module(src, options.get("root", "specs")) if src in shared else "",
            out = out,
            **options
        )
        targets.append(":" + target)
    toolgen_index(name = name, specs = targets, out = out, visibility = visibility)
