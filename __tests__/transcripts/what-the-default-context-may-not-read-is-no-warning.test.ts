import { expect, it } from '@jest/globals';
import { type Stage, setStage, troubles } from './stage.js';

const DENIED = {
  status: 403,
  body: {
    message: 'Resource not accessible by integration',
    documentation_url: 'https://docs.github.com',
    status: '403',
  },
  times: 9,
} as const;

const DENIED_QUERY = {
  route: 'POST /graphql',
  status: 200,
  body: { data: null, errors: [{ type: 'FORBIDDEN', message: DENIED.body.message }] },
  times: 9,
} as const;

/** What a token without `checks`, `statuses` and `issues` is told in a private repository. */
function denyReading({ github }: Stage): void {
  github.fail({ route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs', ...DENIED });
  github.fail({ route: 'GET /repos/{owner}/{repo}/commits/{ref}/status', ...DENIED });
}

it('unreadable default context is a line of the log and of the summary, and the model is told', async () => {
  const stage = await setStage();
  denyReading(stage);
  const step = await stage.run();
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(step.summary).toMatch(/\*\*Not read\*\*, so the model does not know of it\n\n.*`checks: read`/);
  expect(step.summary).not.toContain('**Warnings**');
  expect(step.log).toMatch(/Not read: .*`checks: read`/);
  expect(step.summary).toContain('- the check runs — add `checks: read` under `permissions:` of the job.');
  expect(step.log + step.summary).not.toMatch(/GET \/|Resource not accessible/);
  expect(stage.model.prompts()[0]?.messages.join('\n')).toContain('some of the checks');
});

it('each unreadable part is a line, which names it and not the requested address', async () => {
  const stage = await setStage({ github: { validate: false } });
  stage.github.fail({ ...DENIED_QUERY, contains: 'closingIssuesReferences' });
  const step = await stage.run();
  expect(step.exitCode).toBe(0);
  const lines = step.log.split('\n').filter((line) => line.startsWith('Not read: '));
  const named = lines.map((line) => line.replace(/\. .*$/, ''));
  // They are asked for at the same time, so any may be refused first.
  expect(named.sort()).toEqual([
    'Not read: the conversation',
    'Not read: the linked issues',
    'Not read: the review threads',
  ]);
  expect(step.log + step.summary).not.toContain('POST /graphql');
});
