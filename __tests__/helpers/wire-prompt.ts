import type { RecordedRequest } from './loopback.js';

/** What was said to the model, whatever the wire. */
export interface Prompt {
  readonly model: string;
  readonly system: string;
  /** Text of each message after the system prompt, as `role: text`; tool results are `tool: …`. */
  readonly messages: readonly string[];
  readonly tools: readonly string[];
}

/** The prompt in a request of any of the wires. */
export function promptOf(request: RecordedRequest): Prompt {
  const body = request.body as WireBody;
  const messages =
    body.messages ??
    (Array.isArray(body.input) ? body.input : [{ role: 'user', content: body.input }]);
  const isSystem = (message: WireMessage) =>
    message.role === 'system' || message.role === 'developer';
  const said = messages.filter(isSystem).map(({ content }) => content);
  const system = [body.system ?? body.instructions, ...said];
  return {
    model: body.model ?? '',
    system: system.map(textOf).filter(Boolean).join('\n'),
    messages: messages.filter((message) => !isSystem(message)).flatMap(linesOf),
    tools: (body.tools ?? []).map((tool) => tool.name ?? tool.function?.name ?? ''),
  };
}

interface WireMessage {
  readonly role?: string;
  readonly type?: string;
  readonly content?: unknown;
  readonly output?: unknown;
}

interface WireBody {
  readonly model?: string;
  readonly system?: unknown;
  readonly instructions?: unknown;
  readonly messages?: readonly WireMessage[];
  readonly input?: unknown;
  readonly tools?: readonly {
    readonly name?: string;
    readonly function?: { readonly name: string };
  }[];
}

function linesOf(message: WireMessage): string[] {
  if (message.type === 'function_call_output') return [`tool: ${textOf(message.output)}`];
  if (!Array.isArray(message.content)) return [`${message.role}: ${textOf(message.content)}`];
  const results = message.content.filter((part) => part.type === 'tool_result');
  const rest = textOf(message.content.filter((part) => part.type !== 'tool_result'));
  return [
    ...results.map((part) => `tool: ${textOf(part.content)}`),
    ...(rest === '' && results.length > 0 ? [] : [`${message.role}: ${rest}`]),
  ];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}
