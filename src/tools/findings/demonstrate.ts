import type { TestDraft } from '../../findings/decide/demonstration.js';
import type { ShownTest } from '../../findings/finding.js';
import { plainTest } from '../../findings/post/test-block.js';
import { DEMONSTRATION } from '../../lib/defaults.js';
import { ToolError } from '../../lib/errors.js';
import { fence } from '../../safety/fence.js';
import { redact } from '../../safety/redact.js';
import type { Demonstration } from '../process/test-bench.js';
import { lastLines, SAW_FILE } from '../process/test-bench.js';
import { defineTool, escapeOutput, type Tool } from '../tool.js';

/** A test that has shown a finding. */
export interface AcceptedTest {
  readonly draft: TestDraft;
  readonly shown: ShownTest;
}

/** A claim that a test can be written for. */
export interface TestableClaim {
  /** The id of its finding. */
  readonly id: string;
  /** The change that the finding suggests; left out: none that a test can be held against. */
  readonly suggested?: TestDraft['fix'];
}

/** The end of what was tried for a finding. */
export type Attempt =
  | { readonly kind: 'shown'; readonly test: AcceptedTest }
  | { readonly kind: 'none'; readonly why: string };

interface DemonstrateOptions {
  /** Claims by their number, from 1; undefined for one that is not to be shown by a test. */
  readonly claims: readonly (TestableClaim | undefined)[];
  /** Runs a test, one after the other in a run; undefined if no time is left. */
  run(
    draft: TestDraft,
    spentMs: number,
    signal: AbortSignal,
  ): Promise<(Demonstration & { readonly ms: number }) | undefined>;
  /** Called with the last attempt for each finding. */
  keep(id: string, attempt: Attempt): void;
  readonly secrets: readonly string[];
}

/**
 * `demonstrate`: runs a new test on the code as it is and with a fix. Only the second look has this
 * tool.
 */
export function createDemonstrate({ claims, run, keep, secrets }: DemonstrateOptions): Tool {
  const spent = new Map<string, { attempts: number; ms: number }>();
  return defineTool({
    name: 'demonstrate',
    effect: 'execute',
    reachesNetwork: false,
    description: `Shows a claim by a new test, before you give your verdict on it: it must fail on the code as it is, and pass with a small fix. Right before it checks, the test writes the value it got as one line to \`${SAW_FILE}\`. Use only names that the code has today. Try it if the test is short and you know how tests run here; at most ${DEMONSTRATION.attempts} times a claim. Nothing that the test writes stays, and there is no network.`,
    shape: SHAPE,
    async run(input, signal) {
      const { claim: number = claims.length === 1 ? 1 : undefined } = input;
      const claim = number === undefined ? undefined : claims[number - 1];
      if (claim === undefined) throw new ToolError(`Not run: ${whichClaims(claims)}.`);
      const before = spent.get(claim.id) ?? { attempts: 0, ms: 0 };
      if (before.attempts >= DEMONSTRATION.attempts)
        throw new ToolError('Not run: there is no attempt left for this claim. Give your verdict.');

      const draft: TestDraft = {
        path: input.path,
        test: `${plainTest(input.test)}\n`,
        command: input.command.trim(),
        withFault: input.with_fault,
        withoutFault: input.without_fault,
        fix: input.fix ?? claim.suggested ?? [],
      };
      const result = await run(draft, before.ms, signal);
      if (result === undefined)
        throw new ToolError('Not run: no time is left for tests. Give your verdict.');
      if (result.kind === 'not-run') throw new ToolError(`Not run: ${result.why}.`);

      spent.set(claim.id, { attempts: before.attempts + 1, ms: before.ms + result.ms });
      const output = redact(escapeOutput(lastLines(result.output)), secrets);
      if (result.kind === 'shown') {
        const shown = { text: plainTest(draft.test), times: result.times, output };
        keep(claim.id, { kind: 'shown', test: { draft, shown } });
        return `Shown: ${result.times} times each it saw "${draft.withFault}", with the fix "${draft.withoutFault}". Give your verdict.`;
      }
      keep(claim.id, { kind: 'none', why: result.why.replace(/^it /, 'its test ') });
      const printed = output === '' ? '' : `\n${fence(output, { source: 'output of the test' })}`;
      return `No proof: ${result.why}. This proves nothing either way.${printed}`;
    },
  });
}

function whichClaims(claims: readonly (TestableClaim | undefined)[]): string {
  const numbers = claims.flatMap((claim, index) => (claim === undefined ? [] : [index + 1]));
  return `\`claim\` has to be one of ${numbers.join(', ')}`;
}

const SHAPE = {
  claim: {
    type: 'integer',
    description: 'Number of the claim. Default: the only one.',
    minimum: 1,
  },
  path: {
    type: 'string',
    description: 'Path of the new test file, where tests of this project are found.',
    required: true,
  },
  test: { type: 'string', description: 'The whole file, at most 16 KB.', required: true },
  command: {
    type: 'string',
    description: 'Runs this test alone, with `sh -c` in the workspace; one line.',
    required: true,
  },
  with_fault: {
    type: 'string',
    description: 'The value that the test will write down now; one line.',
    required: true,
  },
  without_fault: {
    type: 'string',
    description: 'The value that it will write down with the fix.',
    required: true,
  },
  fix: {
    type: 'list',
    description:
      'The smallest change that ends the fault, for the comparison alone: up to 3 places. Default: the suggestion.',
    item: {
      path: { type: 'string', description: 'A file that git tracks.', required: true },
      code: {
        type: 'string',
        description: 'The code to replace, which is in the file once.',
        required: true,
      },
      instead: { type: 'string', description: 'The code in its place.', required: true },
    },
  },
} as const;
