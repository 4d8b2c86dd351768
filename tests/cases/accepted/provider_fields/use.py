import json

from generated import anthropic_tools, bedrock_tools, gemini_tools, openai_tools
from generated.catalog import TOOLS
from toolgen.runtime.adapters import anthropic, bedrock, gemini, openai

SCHEMAS = ("input_schema", "parameters", "parameters_json_schema", "description")


def show(tool):
    print(json.dumps({key: value for key, value in tool.items() if key not in SCHEMAS}, sort_keys=True))


for name, tools in (
    ("Chat", [tool["function"] for tool in openai_tools.CHAT_TOOLS]),
    ("Responses", openai_tools.RESPONSES_TOOLS),
    ("Anthropic", anthropic_tools.TOOLS),
    ("Gemini", gemini_tools.FUNCTION_DECLARATIONS),
):
    print(f"{name}:")
    for tool in tools:
        if tool.get("type") == "namespace":
            print(tool["name"], "|", tool["description"])
            for member in tool["tools"]:
                show(member)
        else:
            show(tool)
print("Bedrock:")
for entry in bedrock_tools.TOOL_CONFIG["tools"]:
    print(entry["toolSpec"]["name"] if "toolSpec" in entry else entry)

# definitions that are made at run time are the same as the generated ones
assert openai.chat_tools(TOOLS) == openai_tools.CHAT_TOOLS
assert openai.responses_tools(TOOLS) == openai_tools.RESPONSES_TOOLS
assert anthropic.anthropic_tools(TOOLS) == anthropic_tools.TOOLS
assert gemini.gemini_tools(TOOLS) == gemini_tools.TOOLS
assert bedrock.tool_config(TOOLS) == bedrock_tools.TOOL_CONFIG
