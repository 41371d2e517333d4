import type { RecordedRequest } from '../__tests__/helpers/loopback.js';
import { type Prompt, promptOf } from '../__tests__/helpers/wire-prompt.js';
import type { Call, ScriptedVerdict } from './case.js';

/** What a scripted model does in one run. */
export interface Script {
  /** The turns of the reviewer. */
  readonly turns: readonly (readonly Call[])[];
  /** What a second look says of findings by their titles; of others that they hold. */
  readonly verdicts: readonly ScriptedVerdict[];
}

/** The calls with which a scripted model answers; none: it ends its turn. */
export function scriptedCalls(
  request: RecordedRequest,
  { turns, verdicts }: Script,
): readonly Call[] {
  const { messages, tools } = promptOf(request);
  const turn = messages.filter((message) => message.startsWith('assistant:')).length;
  if (tools.includes('give_verdict')) {
    const isOver = (messages[0] ?? '').includes('still true of the code as it is now');
    return isOver ? overCalls(turns, turn) : verdictCalls(messages, turn, verdicts);
  }
  if (!tools.includes('add_review_comment')) return [];
  return (turns[turn] ?? []).map((call) => withHandle(call, messages));
}

/**
 * A script names a finding by its title; its handle is minted anew in each play, and stands beside
 * the title.
 */
function withHandle(call: Call, messages: Prompt['messages']): Call {
  const lines = messages.flatMap((message) => message.split('\n'));
  const named = ['finding', 'same_as'].flatMap((field) => {
    const title = call.input[field];
    if (typeof title !== 'string') return [];
    const line = lines.find((one) => one.includes(title) && HANDLE.test(one));
    return [[field, HANDLE.exec(line ?? '')?.[0] ?? title]];
  });
  return { ...call, input: { ...call.input, ...Object.fromEntries(named) } };
}

const HANDLE = /\bF(?=[A-Z]*\d)[A-Z0-9]{4}\b/;

/**
 * Whoever looks whether a finding is over sees what the reviewer saw: the lines that the script's
 * reviewer has named.
 */
function overCalls(turns: Script['turns'], turn: number): readonly Call[] {
  if (turn > 0) return [];
  const evidence = turns
    .flat()
    .flatMap(({ tool, input }) =>
      tool === 'settle_finding' ? [input['evidence'] ?? []].flat() : [],
    );
  const verdict = evidence.length === 0 ? 'unclear' : 'refuted';
  return [
    { tool: 'give_verdict', input: { verdict, evidence, reason: 'The named line ends it.' } },
  ];
}

/**
 * A second look reads first what its verdict needs; then it decides on every claim it was given.
 */
function verdictCalls(
  messages: Prompt['messages'],
  turn: number,
  verdicts: readonly ScriptedVerdict[],
): readonly Call[] {
  const asked = (messages[0] ?? '').replace(/^user: /, '');
  const claims = asked.split(/^(?=Claim \d+, on )/m).filter((part) => part.startsWith('Claim '));
  const about = claims.map((claim) => verdicts.find(({ title }) => claim.includes(title)));
  const looks = about.flatMap((verdict) => verdict?.look ?? []);
  if (turn === 0 && looks.length > 0) return looks;
  if (turn > 1 || (turn === 1 && looks.length === 0)) return [];
  return about.map((verdict, index) => ({
    tool: 'give_verdict',
    input: {
      claim: index + 1,
      verdict: verdict?.verdict ?? 'holds',
      reason: verdict?.reason ?? 'Followed from its trigger to its effect.',
      evidence: verdict?.evidence ?? [],
    },
  }));
}

/** A reply in the form of Anthropic's Messages. */
export function scriptedReply(model: string, calls: readonly Call[]): object {
  const content = calls.map(({ tool, input }, index) => ({
    type: 'tool_use',
    id: `toolu_${index + 1}`,
    name: tool,
    input,
  }));
  return {
    id: 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model,
    content: calls.length > 0 ? content : [{ type: 'text', text: 'Looked at the whole change.' }],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1000, output_tokens: 100 },
  };
}
