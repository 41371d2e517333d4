import { alongWith, type Deviation } from './deviation.js';
import type { Outcome } from './replay.js';
import type { WireRequest } from './wire.js';

const COUNTS_CHILDREN = 'the totals count the tokens of sub-agents';

const NAMES_TOOLS = 'a call of a tool that is not there is told which are';
const IN_CIRCLES = `the tenth of the same calls in a row ends a conversation; ${NAMES_TOOLS}`;
const SAME_CALLS = 'the model made the same call of `nope` 10 times in a row';

function withToolNames(text: string): string {
  return text.replace(/^Unknown tool: "nope"$/, '$&. There are these: call_agent');
}

/** Passing errors are tried again twice by default, axe tries nothing again (README, "Differences from axe"). */
export const RETRIED: Deviation = {
  because: 'a passing error is tried again twice',
  instead: ({ requests }) => ({ requests: [...requests, ...requests, ...requests] }),
};

/** What we do otherwise than axe while a conversation goes on: retries, tools, sub-agents, limits. */
export const RUNTIME_DEVIATIONS: Readonly<Record<string, Deviation>> = {
  '06/04': alongWith(RETRIED, {
    because: '--json prints JSON about a failure too',
    instead: () => ({
      stdout:
        '{"content":"","duration_ms":<n>,"error":{"exit_code":3,"message":"rate_limit: slow down"},"input_tokens":0,"model":"mock-claude","output_tokens":0,"refused":false,"retry_attempts":2,"stop_reason":"","tool_call_details":[],"tool_calls":0}\n',
    }),
  }),
  '06/03': {
    because: 'an answer that was cut is a warning (README, "Differences from axe")',
    instead: () => ({
      stderr:
        'Warning: the answer was cut at 7 output tokens. Raise `max_tokens` in `[params]` of the agent.\n',
    }),
  },
  '07/04': alongWith(RETRIED, {
    because: 'verbose lines tell of retries',
    instead: ({ stderr }) => ({
      stderr: stderr.replace(
        'Duration: ',
        '[retry] Attempt 1/2 after server, waiting <n>ms\n[retry] Attempt 2/2 after server, waiting <n>ms\nDuration: ',
      ),
    }),
  }),
  '12/06': RETRIED,
  '12/07': RETRIED,
  '12/08': RETRIED,
  '12/09': alongWith(RETRIED, {
    because: 'after a gateway gave up waiting, the answer is received in a stream',
    instead: ({ requests: [first, ...tries] }) => ({
      requests: [
        ...(first === undefined ? [] : [first]),
        ...tries.map((request) => ({ ...request, stream: true })),
      ],
    }),
  }),
  '12/13': RETRIED,
  '13/09': RETRIED,
  '13/10': RETRIED,
  '13/11': RETRIED,
  '13/13': RETRIED,
  '14/01': {
    because: 'a cost that is known is told: what runs on your own machine costs nothing',
    instead: ({ stdout }) => ({
      stdout: stdout.replace('"duration_ms":', '"cost_usd":0,"duration_ms":'),
    }),
  },
  '14/03': RETRIED,
  '14/07': RETRIED,
  '14/08': RETRIED,
  '13/15': {
    because: `${COUNTS_CHILDREN}; arguments that are not JSON are named as what they are, and errors are marked`,
    instead: (axe) => {
      const missing = 'call_agent error: "agent" argument is required';
      const notJson = 'The arguments of "call_agent" are not valid JSON. Send one JSON object.';
      const totals = withTotals(axe, { input: 63, output: 27 });
      return {
        ...totals,
        stdout: totals.stdout.replace(
          `"input":{},"is_error":false,"name":"call_agent","output":${JSON.stringify(missing)}`,
          `"input":null,"is_error":true,"name":"call_agent","output":${JSON.stringify(notJson)}`,
        ),
        requests: withResults(axe.requests, (text) => ({
          text: text === missing ? JSON.stringify({ error: notJson }) : text,
        })),
      };
    },
  },
  '14/10': {
    because: `${COUNTS_CHILDREN}; the endpoint we ask names another reason for the end of a turn with tool calls`,
    instead: (axe) => ({
      stderr: withTotals(axe, { input: 217, output: 35 }).stderr.replaceAll(
        'Received response: stop (2 tool calls)',
        'Received response: tool_calls (2 tool calls)',
      ),
    }),
  },
  '15/02': {
    because: `${COUNTS_CHILDREN}; arguments are shown in the order the model gave`,
    instead: (axe) => {
      const totals = withTotals(axe, { input: 131, output: 67 });
      const context = '"context":"ctx line1\\nctx line2"';
      const task = '"task":"line1\\nline2"';
      return {
        ...totals,
        stdout: totals.stdout.replace(`${context},${task}`, `${task},${context}`),
      };
    },
  },
  '15/03': {
    because: `${COUNTS_CHILDREN}; no character is cut in two; a warning looks the same whoever it is about`,
    instead: (axe) => ({
      stderr: withTotals(axe, { input: 131, output: 67 })
        .stderr.replace(/^latin1:/, '')
        .replace(/\xc3\.\.\.\n/, 'é...\n')
        .replace('[sub-agent] Warning: ', 'Warning: '),
    }),
  },
  '15/04': {
    because: 'warnings about the memory of sub-agents are shown without -v too',
    instead: () => ({
      stderr:
        'Warning: agent "child" memory has 3 entries (max_entries: 2). Run \'axe gc child\' to trim.\n',
    }),
  },
  '17/01': {
    because: COUNTS_CHILDREN,
    instead: (axe) => withTotals(axe, { input: 55, output: 35 }),
  },
  '17/02': {
    because: COUNTS_CHILDREN,
    instead: (axe) => withTotals(axe, { input: 77, output: 49 }),
  },
  '17/03': {
    because: `${IN_CIRCLES}; the duration is told after every failure`,
    instead: ({ requests, stderr }) => ({
      requests: withResults(requests.slice(0, 10), (text) => ({ text: withToolNames(text) })),
      stderr: stderr.replace(
        /(\[turn 10\] Received .*\n)[\s\S]*$/,
        `$1Duration: <n>ms\n${SAME_CALLS}\n`,
      ),
    }),
  },
  '17/04': {
    because: `${COUNTS_CHILDREN}; ${IN_CIRCLES}; a failure is told once`,
    instead: (axe) => {
      const turns = 'sub-agent exceeded maximum conversation turns (50)';
      const asked = [...axe.requests.slice(0, 11), ...axe.requests.slice(-1)];
      return {
        requests: withResults(asked, (text) => ({
          text: withToolNames(text).replace(turns, SAME_CALLS),
        })),
        stderr: toldOnce(withTotals(axe, { input: 132, output: 84 }).stderr).replace(
          turns,
          SAME_CALLS,
        ),
      };
    },
  },
  '25/01': {
    because: `${COUNTS_CHILDREN}; ${NAMES_TOOLS}; the caller of a sub-agent that says nothing is told so`,
    instead: (axe) => {
      const silence = '[Sub-agent "c1" ended with an empty answer.]';
      const { stdout, stderr } = withTotals(axe, { input: 56, output: 37 });
      return {
        stdout: stdout
          .replace('nope\\"', 'nope\\". There are these: call_agent')
          .replace(
            '"is_error":false,"name":"call_agent","output":""',
            `"is_error":false,"name":"call_agent","output":${JSON.stringify(silence)}`,
          ),
        stderr: stderr.replace('(0 chars returned)', `(${silence.length} chars returned)`),
        requests: withResults(axe.requests, (text) =>
          text === '' ? { text: silence } : { text: withToolNames(text) },
        ),
      };
    },
  },
  '28/02': {
    because: 'a failure is told once, and no further turn starts when the time is up',
    instead: (axe) => ({
      stderr: toldOnce(axe.stderr).replace(
        '[turn 2] Sending request (3 messages, 1 tool calls pending)\n',
        '',
      ),
    }),
  },
  '28/03': {
    because: COUNTS_CHILDREN,
    instead: (axe) => withTotals(axe, { input: 73, output: 23 }),
  },
};

interface Tokens {
  readonly input: number;
  readonly output: number;
}

function withTotals(
  { stdout, stderr }: Outcome,
  { input, output }: Tokens,
): Pick<Outcome, 'stdout' | 'stderr'> {
  return {
    stdout: stdout
      .replace(/"input_tokens":\d+/, `"input_tokens":${input}`)
      .replace(/"output_tokens":\d+/, `"output_tokens":${output}`),
    stderr: stderr.replace(
      /^Tokens: {3}\d+ input, \d+ output/m,
      `Tokens:   ${input} input, ${output} output`,
    ),
  };
}

/** The requests with other tool results; those that were not recorded stay as they are. */
function withResults(
  requests: readonly WireRequest[],
  change: (text: string) => { readonly text: string; readonly isError?: boolean },
): readonly WireRequest[] {
  return requests.map((request) => {
    if (!('messages' in request)) return request;
    const messages = request.messages.map((message) => ({
      ...message,
      toolResults: message.toolResults.map((result) => ({ ...result, ...change(result.text) })),
    }));
    return { ...request, messages };
  });
}

function toldOnce(stderr: string): string {
  return stderr.replace(/^(\[sub-agent\] ".*" failed: .*\n)\1/gm, '$1');
}
