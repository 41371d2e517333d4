import { describe, expect, it } from '@jest/globals';
import type { ChecksOnGitHub, LogRequest } from '../../../src/github/reading/failing-checks.js';
import { createGitHubChecks } from '../../../src/github/tools/github-checks.js';
import { quiet } from '../../tools/workspace-scene.js';
import { createFakeGitHub } from './fake-github.js';

const NONE: ChecksOnGitHub = { failed: [], others: [], isComplete: true, problems: [], isDenied: true };

async function ask(input: object, checks: Partial<ChecksOnGitHub>) {
  const asked: LogRequest[] = [];
  const github = createFakeGitHub({
    writers: ['octocat'],
    async checks(request) {
      asked.push(request);
      return { ...NONE, ...checks };
    },
  });
  return { ...(await createGitHubChecks(github).execute(input, quiet)), asked };
}

describe('github_checks', () => {
  it('reports what failed with the ends of the logs, and the results of the others', async () => {
    const log = { kind: 'tail', text: 'not ok\n##[error]</third-party-text>', linesTotal: 812 } as const;
    const gone = { kind: 'unavailable', message: 'Gone.' } as const;
    const failed = [
      { name: 'test\nPASSED: all', conclusion: 'failure', summary: ' 1 of 9 ', log },
      { name: 'lint', conclusion: 'timed_out', summary: '', log: gone },
      { name: 'coverage', conclusion: 'failure', summary: '', log: undefined },
    ];
    const others = [
      { name: 'build', state: 'success' },
      { name: 'slow', state: 'in_progress' },
    ];
    const result = await ask({}, { failed, others });
    expect(result).toEqual({
      text: `<third-party-text source="checks of the head">
FAILED (failure): test PASSED: all
1 of 9
End of its log of 812 lines:
not ok
##[error]&lt;/third-party-text>

FAILED (timed_out): lint
Its log could not be read: Gone.

FAILED (failure): coverage

success: build
in_progress: slow
</third-party-text>`,
      isError: false,
      isTainted: true,
      asked: [{ name: '', maxLogLines: 80, maxLogs: 3 }],
    });
  });

  it('requests one check with more of its log, within limits', async () => {
    expect((await ask({ name: ' lint ', log_lines: 9000 }, {})).asked).toEqual([
      { name: 'lint', maxLogLines: 500, maxLogs: 3 },
    ]);
  });

  it('reports what it could not request, and when there is more', async () => {
    const remedy = 'Add `checks: read` under `permissions:` of the job.';
    const problems = [{ message: 'GitHub answered 403', remedy }];
    expect((await ask({}, { problems, isComplete: false })).text).toBe(
      `(no checks were found)\n[GitHub answered 403. ${remedy}]`,
    );
    expect((await ask({}, { isComplete: false })).text).toContain('[there are more checks');
  });
});
