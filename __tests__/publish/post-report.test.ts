import { describe, expect, it } from '@jest/globals';
import type { GitHubClient } from '../../src/github/client/client.js';
import { warningText } from '../../src/lib/warning.js';
import { postReport, type Report } from '../../src/publish/post-report.js';
import { formatMark } from '../../src/safety/mark.js';
import { denied, startHello } from '../github/hello-fixture.js';
import { HELLO } from '../helpers/github-client-fake.js';

/** The hidden line of the report. */
const MARK = formatMark({
  kind: 'report',
  agent: 'bot',
  workflow: '.github/workflows/nightly.yml',
  lane: 'trusted',
});

async function post(client: GitHubClient | undefined, patch: Partial<Report> = {}) {
  const warnings: string[] = [];
  const report: Report = {
    repository: HELLO,
    agent: 'bot',
    workflow: '.github/workflows/nightly.yml',
    text: 'All is well.',
    footer: '<sub>by us</sub>',
    lane: 'trusted',
    ...patch,
  };
  const published = await postReport(client, report, {
    reporter: { event: () => undefined, warn: (warning) => void warnings.push(warningText(warning)) },
    clean: (markdown) => markdown.replaceAll('@', ''),
    cleanTitle: (title) => title.replaceAll('@', ''),
  });
  return { published, warnings };
}

describe('a report', () => {
  it('is one issue with marker, sanitized text and footer, whose body is replaced', async () => {
    const { client, repo } = await startHello();
    const first = await post(client, { text: 'Ask @octocat.' });
    expect(first.published.line).toBe('Opened the report #43.');
    expect(repo.issues.get(43)).toMatchObject({
      title: 'Report of bot',
      body: `${MARK}\nAsk octocat.\n\n<sub>by us</sub>`,
    });
    const second = await post(client);
    expect(second.published).toEqual({ ...first.published, line: 'Brought the report #43 up to date.' });
    expect(repo.issues.get(43)?.body).not.toContain('octocat');
  });

  it.each<[string, Partial<Report>]>([
    ['another agent', { agent: 'other' }],
    ['another workflow', { workflow: '.github/workflows/weekly.yml' }],
  ])('from %s is another issue', async (_, patch) => {
    const { client, repo } = await startHello();
    await post(client);
    await post(client, patch);
    expect(repo.issues.size).toBe(2);
  });

  it('is not written into somebody else’s issue that has our marker', async () => {
    const { client, github, repo } = await startHello();
    const body = `${MARK}\nMine.`;
    github.addIssue('octocat/hello', { number: 50, author: 'monalisa', body });
    await post(client);
    expect(repo.issues.get(50)?.body).toBe(body);
    expect(repo.issues.size).toBe(2);
  });

  it('that is too long is cut, and says so above its footer', async () => {
    const { client, repo } = await startHello();
    await post(client, { text: 'x'.repeat(70_000) });
    const body = repo.issues.get(43)?.body ?? '';
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(body).toMatch(/the rest is in the job summary\.\*\n\n<sub>by us<\/sub>$/);
  });

  it('that cannot be written is a warning with the line to add', async () => {
    const { client, github } = await startHello();
    github.fail(denied('POST /repos/{owner}/{repo}/issues', 'issues=write'));
    const { published, warnings } = await post(client);
    expect(published).toEqual({ line: undefined, url: undefined, failure: warnings[0] });
    expect(warnings).toEqual([expect.stringMatching(/^the answer is in the job summary.*`issues: write`/)]);
    expect((await post(undefined)).warnings).toEqual([expect.stringContaining('`github-token`')]);
  });
});
