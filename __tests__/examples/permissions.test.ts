import { describe, expect, it } from '@jest/globals';
import { NEEDS } from '../../src/runner/workflow/needed-permissions.js';
import { readDocument } from '../helpers/documents.js';
import { exampleWorkflows, type Workflow } from '../helpers/workflow-files.js';
import { neededPermissions } from './needed-permissions.js';

const EXAMPLES = exampleWorkflows();

describe.each(EXAMPLES)('$name', ({ workflow }) => {
  const jobs = Object.entries(workflow.jobs);

  it.each(jobs)('gives its job %s all it needs, and no more', (_, job) => {
    const called = EXAMPLES.find(({ name }) => job.uses?.includes(`/${name}@`));
    const needed =
      called === undefined
        ? neededPermissions(job, workflow)
        : Object.assign(
            {},
            ...Object.values(called.workflow.jobs).map((one) =>
              neededPermissions(one, called.workflow),
            ),
          );
    expect(job.permissions ?? workflow.permissions).toEqual(needed);
  });
});

it.each<[string, object, object]>([
  ['a comment', {}, { issues: 'read', 'pull-requests': 'write' }],
  ['no comment', { comment: 'never' }, { issues: 'read', 'pull-requests': 'read' }],
  [
    'a memory elsewhere',
    { 'memory-store': 'branch', 'memory-repo': 'octocat/memory', 'repositories-token': 'x' },
    { contents: 'read' },
  ],
  ['a memory here', { 'memory-store': 'branch' }, { contents: 'write' }],
  ['a check', { 'check-run': 'true' }, { checks: 'write' }],
])('%s on a pull request needs the permissions in the table', (_, inputs, expected) => {
  const step = {
    uses: 'YOUR_ORG/axe-action@v1',
    with: { agent: 'builtin/pr-reviewer', ...inputs },
  };
  const workflow: Workflow = { on: 'pull_request', jobs: { a: { steps: [step] } } };
  expect(neededPermissions({ steps: [step] }, workflow)).toMatchObject(expected);
});

it('comments on issues alone need no permission of pull requests', () => {
  const step = { uses: 'YOUR_ORG/axe-action@v1', with: { agent: 'builtin/ask' } };
  const job = { if: '!github.event.issue.pull_request', steps: [step] };
  const workflow: Workflow = { on: { issue_comment: null }, jobs: { a: job } };
  expect(neededPermissions(job, workflow)).toEqual({ contents: 'write', issues: 'write' });
});

it('the table is in docs/events.md, row by row', () => {
  const [, section = ''] = /^## Permissions\n([\s\S]*)/m.exec(readDocument('docs/events.md')) ?? [];
  const rows = [...section.matchAll(/^\| (?!For |---)(.*) \| `([\w-]+): (\w+)` \|$/gm)];
  expect(rows.map(([, purpose, scope, level]) => ({ purpose, scope, level }))).toEqual(
    NEEDS.map(({ purpose, scope, level }) => ({ purpose, scope, level })),
  );
});
