// The same call in other words: for a shell, for Python, for programs that speak MCP or OpenAI.

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const compact = (value) => JSON.stringify(value);
const ascii = (text) => text.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
/** A text as a literal of Python, which reads the escapes of JSON in the same way once all is ASCII. */
const pythonText = (text) => ascii(JSON.stringify(text)).replace(/\\u(d[89ab]..)\\u(d[c-f]..)/gi, (_, high, low) => {
  const code = (parseInt(high, 16) - 0xd800) * 0x400 + parseInt(low, 16) - 0xdc00 + 0x10000;
  return `\\U${code.toString(16).padStart(8, "0")}`;
});

export const KINDS = [
  { id: "toolgen", label: "toolgen call", language: "bash" },
  { id: "curl", label: "curl", language: "bash" },
  { id: "python", label: "Python", language: "python" },
  { id: "mcp", label: "MCP JSON", language: "json" },
  { id: "openai", label: "OpenAI", language: "python" },
];

/** Return a call as code. `server` is the address of the MCP endpoint. */
export function snippet(kind, { tool, mcpName, openaiName, args, server, module, hasToken }) {
  const json = compact(args);
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: mcpName, arguments: args } };
  if (kind === "toolgen") return `toolgen call ${quoted(tool)} --input ${quoted(json)}`;
  if (kind === "mcp") return JSON.stringify(body, null, 2);
  if (kind === "curl") {
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
    const withMeta = { ...body, params: { ...body.params, _meta: meta } };
    return [
      `curl ${quoted(server)} \\`,
      "  -H 'Content-Type: application/json' \\",
      "  -H 'Accept: application/json, text/event-stream' \\",
      "  -H 'MCP-Protocol-Version: 2026-07-28' \\",
      "  -H 'Mcp-Method: tools/call' \\",
      `  -H ${quoted(`Mcp-Name: ${mcpName}`)} \\`,
      ...(hasToken ? ['  -H "Authorization: Bearer $TOKEN" \\'] : []),
      `  --data ${quoted(compact(withMeta))}`,
    ].join("\n");
  }
  if (kind === "python") {
    return [
      "import asyncio", "import json", "", `from ${module}.catalog import toolkit`, "", "",
      "async def main() -> None:",
      "    async with toolkit() as tools:",
      `        response = await tools.call(${pythonText(tool)}, json.loads(${pythonText(json)}))`,
      "    print(response.content if response.success else response.error)", "", "",
      "asyncio.run(main())",
    ].join("\n");
  }
  return [
    "import asyncio", "", `from ${module}.catalog import toolkit`,
    `from ${module}.openai_tools import CHAT_TOOLS, execute_tool_call`, "",
    "# `tools=CHAT_TOOLS` goes into the request; the model answers with such a call:",
    `function = {"name": ${pythonText(openaiName)}, "arguments": ${pythonText(json)}}`,
    'call = {"id": "call_1", "type": "function", "function": function}', "", "",
    "async def main() -> None:",
    "    async with toolkit() as tools:",
    "        print(await execute_tool_call(call, tools))", "", "",
    "asyncio.run(main())",
  ].join("\n");
}
