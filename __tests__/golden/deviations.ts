import { expect } from '@jest/globals';
import { builtInAgents, formatAgentList } from '../../src/cli/agents.js';
import { VERSION } from '../../src/lib/product.js';
import { alongWith, type Deviation, differs, startingWith } from './deviation.js';
import { FILE_DEVIATIONS } from './file-deviations.js';
import { GC_DEVIATIONS } from './gc-deviations.js';
import type { Outcome } from './replay.js';
import { RETRIED, RUNTIME_DEVIATIONS } from './runtime-deviations.js';

/**
 * axe reports an error in one line; ours continues with its place and a remedy, each on a line that
 * starts with two spaces (D3). These lines are left out of the comparison, the first never is.
 */
export function withoutErrorDetails(outcome: Outcome): Outcome {
  if (outcome.exit === 0) return outcome;
  return { ...outcome, stderr: outcome.stderr.replace(/\n(?: {2}\S.*\n)+$/, '\n') };
}

/**
 * axe limits Claude's answers to 4096 tokens. A model that nobody knows, such as that of the
 * recordings, gets room for its thoughts from us: with less it would be asked twice a reply.
 */
export function withRoomForThoughts(axe: Outcome): Outcome {
  const requests = axe.requests.map((request) =>
    request.maxTokens === 4096 && request.path.endsWith('/messages')
      ? { ...request, maxTokens: 64_000 }
      : request,
  );
  return { ...axe, requests };
}

const LOAD_FAILURE_TOLD_ONCE: Deviation = {
  because: 'a failure to load is told once (axe-behaviour §10)',
  instead: (axe) => ({ stderr: toldOnce(axe.stderr) }),
};

/** The deviations by scenario and step, `12/20`. */
export const DEVIATIONS: Readonly<Record<string, Deviation>> = {
  ...FILE_DEVIATIONS,
  ...GC_DEVIATIONS,
  ...RUNTIME_DEVIATIONS,
  '09/02': storesTask('line one line two '),
  '09/03': storesTask('  a b\tc  '),
  '09/05': differs(
    'memory is UTF-8: each byte that is not becomes U+FFFD, as axe does when it sends the task',
    {
      writes: {
        'data/axe/memory/bot.md': '## <time>\n**Task:** bad \ufffd\ufffd bytes\n**Result:** r5\n\n',
      },
    },
  ),
  '11/01': LOAD_FAILURE_TOLD_ONCE,
  '11/02': {
    because: 'the failure is told once, and in the place of the entries (axe-behaviour §10)',
    instead: (axe) => ({
      stderr: toldOnce(axe.stderr),
      stdout: axe.stdout.replace(
        '--- Memory ---\n(none)\n',
        '--- Memory ---\n(error: read $ROOT/work/adir: is a directory)\n',
      ),
    }),
  },
  '11/03': LOAD_FAILURE_TOLD_ONCE,
  '11/04': LOAD_FAILURE_TOLD_ONCE,
  '11/10': LOAD_FAILURE_TOLD_ONCE,
  '12/10': alongWith(
    RETRIED,
    differs('axe has no words for this status', {
      stderr: 'overloaded: the service is overloaded (HTTP 529)\n',
    }),
  ),
  '12/12': alongWith(
    RETRIED,
    differs("axe quotes Go's JSON parser here; the beginning is the same", {
      stderr: 'server: failed to parse response: the body is not valid JSON\n',
    }),
  ),
  '12/16': differs(
    'a time limit reached while the answer comes in is a timeout like any other (D27: timeout is exit 3)',
    { exit: 3, stderr: 'timeout: context deadline exceeded\n' },
  ),
  '12/17': differs('a time limit that no run can keep is refused', {
    exit: 1,
    stderr: 'invalid argument "0" for "--timeout" flag: it is less than 1\n',
  }),
  '12/20': {
    because: 'a slash at the end of a base URL is dropped, as people write it both ways',
    instead: (axe) => ({
      requests: axe.requests.map((request) => ({ ...request, path: '/v1/messages' })),
    }),
  },
  '13/12': differs("a number as error.code does not keep us from the API's message", {
    stderr: 'bad_request: real message\n',
  }),
  '20/01': differs('the list has the built-in agents too, and says where others were looked for', {
    stdout: formatAgentList(builtInAgents()),
    stderr:
      'There are only the built-in agents: no agent file was found in axe/agents, .axe/agents, $ROOT/config/axe/agents.\n',
  }),
  '20/05': unsupportedProvider('provider'),
  '20/06': alongWith(
    listsBuiltIns(),
    differs('a file that is left out is a warning', {
      stderr:
        'Warning: $ROOT/config/axe/agents/bad.toml is left out: agent config missing required field: model\n' +
        '  at $ROOT/config/axe/agents/bad.toml:1:1\n' +
        '  Add a line such as `model = "anthropic/claude-sonnet-5-5"`.\n',
    }),
  ),
  '20/16': differs('the version is that of this program, which follows its own releases', {
    stdout: `axe version ${VERSION}\n`,
  }),
  '21/11': parseError('syntax'),
  '21/12': parseError('dup-key'),
  '21/13': parseError('wrong-type'),
  '21/14': parseError('wrong-type2'),
  '21/15': parseError('float-int'),
  '21/16': parseError('bool-str'),
  '21/19': refusesNaN(),
  '21/20': differs('unknown keys are a warning (D3)', {
    stderr: expect.stringMatching(/banana[\s\S]*nope/) as unknown as string,
  }),
  '21/29': parseError('invalid-utf8'),
  '21/30': parseError('mixed-files'),
  '21/31': unsupportedProvider(' anthropic'),
  '21/32': refusesNaN(),
  '21/33': {
    because: 'a temperature below 0 is raised to 0, which is a warning',
    instead: (axe) => ({
      requests: axe.requests.map((request) => ({ ...request, temperature: 0 })),
      stderr: startingWith('Warning: ', '.*temperature.*-3\\.5.*'),
    }),
  },
  '21/37': parseError('lastn-big'),
  '21/39': refusesName('../escape'),
  '21/40': refusesName('../escape'),
  '21/41': unsupportedProvider('weird'),
  '21/44': differs("the text of a TOML error is ours, the prefix is axe's (D3)", {
    stderr: startingWith('failed to parse config file: '),
  }),
  '24/03': alongWith(
    differs('an agent is listed by what `run` takes, the name of its file', { stdout: 'file\n' }),
    listsBuiltIns(),
  ),
  '30/01': refusesName('my agent'),
  '30/02': refusesName('my agent'),
  '30/03': refusesName('grp/sub'),
  '30/04': differs('an agent whose name is not allowed is left out, which is a warning (D5)', {
    stdout: formatAgentList(builtInAgents()),
    stderr:
      'Warning: $ROOT/config/axe/agents/my agent.toml is left out: invalid agent name "my agent"\n' +
      '  A name starts with a letter or digit of ASCII and holds at most 64 of them, dots, underscores and hyphens.\n',
  }),
  '30/05': refusesName('q"x', 1),
  '30/06': refusesName('q"x', 1),
  '30/07': refusesName('é'),
};

function listsBuiltIns(): Deviation {
  return {
    because: 'the list has the built-in agents too',
    instead: ({ stdout }) => ({ stdout: stdout + formatAgentList(builtInAgents()) }),
  };
}

function storesTask(task: string): Deviation {
  return {
    because: 'CRLF and CR in a task become one space (D7)',
    instead: (axe) => ({
      writes: Object.fromEntries(
        Object.entries(axe.writes).map(([path, text]) => [
          path,
          text.replace(/\*\*Task:\*\* [^\n]*\n/, `**Task:** ${task}\n`),
        ]),
      ),
    }),
  };
}

function toldOnce(stderr: string): string {
  return stderr.replace(/^(Warning: failed to load memory .*\n)\1/m, '$1');
}

function refusesNaN(): Deviation {
  return differs('a temperature that is not a number is refused when the file is read', {
    exit: 2,
    stdout: '',
    stderr: 'params.temperature must be a finite number, but is nan\n',
  });
}

function parseError(agent: string): Deviation {
  return differs("the text of a TOML error is ours, the prefix is axe's (D3)", {
    stderr: startingWith(`failed to parse agent config "${agent}": `),
  });
}

function unsupportedProvider(provider: string): Deviation {
  return differs('we have more providers than axe (D30)', {
    stderr: startingWith(
      `unsupported provider "${provider}": supported providers are anthropic, openai, `,
    ),
  });
}

function refusesName(name: string, exit = 2): Deviation {
  return differs(
    'an agent name has letters, digits, dots, dashes and underscores, and never leaves its folder (D5)',
    {
      exit,
      stdout: '',
      stderr: `invalid agent name ${JSON.stringify(name)}\n`,
      requests: [],
      writes: {},
    },
  );
}
