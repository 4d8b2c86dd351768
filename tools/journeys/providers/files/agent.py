"""An agent with each SDK: send the tools, answer the calls, print what the model says."""

import asyncio

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

from generated import anthropic_tools, openai_tools


async def with_openai() -> None:
    client = AsyncOpenAI(base_url="http://127.0.0.1:{port}/v1", api_key="none")
    messages = [{"role": "user", "content": "Greet Ada."}]
    while True:
        completion = await client.chat.completions.create(
            model="m", tools=openai_tools.CHAT_TOOLS, messages=messages
        )
        answers = await openai_tools.run_tool_calls(completion)
        if not answers:
            print("openai:", completion.choices[0].message.content)
            return
        messages += [completion.choices[0].message.model_dump(exclude_none=True), *answers]


async def with_anthropic() -> None:
    client = AsyncAnthropic(base_url="http://127.0.0.1:{port}", api_key="none")
    messages = [{"role": "user", "content": "Greet Bo."}]
    while True:
        message = await client.messages.create(
            model="m", max_tokens=100, tools=anthropic_tools.TOOLS, messages=messages
        )
        answers = await anthropic_tools.run_tool_calls(message)
        if not answers:
            print("anthropic:", message.content[0].text)
            return
        messages += [{"role": "assistant", "content": message.content}, {"role": "user", "content": answers}]


asyncio.run(with_openai())
asyncio.run(with_anthropic())
