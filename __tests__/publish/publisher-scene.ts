import { DEFAULT_PUBLISH_RULES } from '../../src/findings/buffered-publications.js';
import type { Warning } from '../../src/lib/errors.js';
import type { ActionPublisherOptions } from '../../src/publish/answer.js';
import { createActionPublisher } from '../../src/publish/publisher.js';
import { type Answer, createFakeGitHubClient } from '../helpers/github-client-fake.js';

export const CREATE = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
export const UPDATE = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
export const RUN_URL = 'https://github.com/octocat/hello/actions/runs/7';
export const DOCS_URL = 'https://github.com/acme/axe-action/blob/v1/docs';
export const SECRET = 'hunter2-hunter2';

/** A conversation with at most one comment of ours in it. */
export function conversation(existing?: string, routes: Readonly<Record<string, Answer>> = {}) {
  const url = (id: number) => `https://github.com/octocat/hello/issues/42#issuecomment-${id}`;
  const nodes =
    existing === undefined ? [] : [{ url: url(1), body: existing, viewerDidAuthor: true }];
  const pageInfo = { startCursor: null, hasPreviousPage: false };
  return createFakeGitHubClient({
    graphql: () => ({ repository: { subject: { comments: { nodes, pageInfo } } } }),
    [CREATE]: () => ({ id: 2, html_url: url(2) }),
    [UPDATE]: () => ({ id: 1, html_url: url(1) }),
    ...routes,
  });
}

/** The action's publisher in a first step of a job, and what it warns of. */
export function publisherOf(patch: Partial<ActionPublisherOptions>) {
  const warnings: Warning[] = [];
  const publisher = createActionPublisher({
    client: undefined,
    comment: 'auto',
    rules: DEFAULT_PUBLISH_RULES,
    reporter: { event: () => undefined, warn: (warning) => void warnings.push(warning) },
    secrets: [SECRET],
    reportTo: '',
    checkRun: false,
    runUrl: RUN_URL,
    docsUrl: DOCS_URL,
    offersCommands: true,
    workflow: '.github/workflows/review.yml',
    run: '7/1/review',
    now: () => new Date('2026-11-22T10:00:00Z'),
    ...patch,
  });
  return { publisher, warnings };
}
