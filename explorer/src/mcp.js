// A client of MCP 2026-07-28 over streamable HTTP: one POST for each call, answered as JSON or as a stream.

const VERSION = "2026-07-28";
const TOKEN_KEY = "toolgen-token";

/** The token of the server: from the address that the command printed, or as the user typed it. */
export const token = {
  get: () => sessionStorage.getItem(TOKEN_KEY) ?? "",
  set: (value) => sessionStorage.setItem(TOKEN_KEY, value),
  /** Take the token out of the address, so that no copied link has it. */
  takeFromAddress() {
    const found = /^#token=([A-Za-z0-9_-]+)(?:&(.*))?$/.exec(location.hash);
    if (found === null) return;
    token.set(found[1]);
    history.replaceState(null, "", `#${found[2] ?? ""}`);
  },
};

export const authorization = () => (token.get() === "" ? {} : { authorization: `Bearer ${token.get()}` });

export class CallError extends Error {}

let lastId = 0;

/** Yield the data of each event of a response, parsed. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer += value;
    const parts = buffer.split(/\r?\n\r?\n/);
    buffer = parts.pop();
    for (const part of parts) {
      const data = part.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart()).join("\n");
      if (data !== "") yield JSON.parse(data);
    }
  }
}

/** Send one request; return its result. `notify` gets the notifications that come before it. */
async function send(params, { signal, notify }) {
  const id = (lastId += 1);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": { name: "toolgen docs", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    progressToken: id,
    ...params._meta,
  };
  const response = await fetch("mcp", {
    method: "POST",
    signal,
    headers: {
      "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-protocol-version": VERSION,
      "mcp-method": "tools/call", "mcp-name": params.name, ...authorization(),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { ...params, _meta: meta } }),
  });
  if (response.status === 401 || response.status === 403) throw new CallError("The server does not accept the token: open the address that `toolgen dev` printed, or enter a token.");
  if ((response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    for await (const message of events(response)) {
      if (message.method !== undefined) notify(message);
      else if (message.id === id) return outcome(message);
    }
    throw new CallError("The server ended the connection before it answered. The call may have been carried out.");
  }
  const text = await response.text();
  try {
    return outcome(JSON.parse(text));
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw new CallError(`The server answered with HTTP ${response.status}, and not in JSON.`);
  }
}

function outcome(message) {
  if (message.error !== undefined) throw new CallError(`The server refused the request: ${message.error.message}`);
  return message.result;
}

/**
 * Call a tool. `ask` shows the user a question with a form, and resolves to its answer as MCP has it;
 * `onProgress` gets each chunk and each report of progress.
 */
export async function callTool(name, args, { signal, ask, onProgress, isPreview = false }) {
  const notify = (message) => message.method === "notifications/progress" && onProgress(message.params);
  let params = { name, arguments: args, ...(isPreview && { _meta: { "toolgen/preview": true } }) };
  try {
    for (;;) {
      const result = await send(params, { signal, notify });
      if (result.resultType !== "input_required") return result;
      const responses = {};
      for (const [key, request] of Object.entries(result.inputRequests ?? {})) {
        responses[key] = await ask(request.params?.message ?? "", request.params?.requestedSchema ?? {});
      }
      params = { ...params, inputResponses: responses, requestState: result.requestState };
    }
  } catch (error) {
    if (error instanceof CallError || error.name === "AbortError") throw error;
    throw new CallError(`The server cannot be reached, or went away during the call: ${error.message}. Is \`toolgen dev\` running?`);
  }
}
