import { publishRequested, type RequestedRun } from '../../../src/actions/publish/publish-requested.js';
import type { RequestedOptions } from '../../../src/actions/publish/requested.js';
import type { PublishRequest } from '../../../src/core/dependencies.js';
import { warningText } from '../../../src/core/warning.js';
import { type Buffered, NOTHING_BUFFERED } from '../../../src/review/buffered.js';
import { readDiffLines } from '../../../src/review/diff-lines.js';
import { type Finding, mintId } from '../../../src/review/finding.js';
import { type PlacedFinding, placeFinding } from '../../../src/review/place.js';
import { DIFF, type Hello } from '../../adapters/github/hello-fixture.js';
import { pullRequest } from '../../helpers/triggers.js';

export const NOW = new Date('2026-11-22T10:00:00Z');

/** A finding in its place in the change of the fixture. */
export function placed(patch: Partial<Finding> = {}): PlacedFinding {
  const finding: Finding = {
    path: 'src/a.ts',
    line: 2,
    side: 'RIGHT',
    title: 'It is wrong',
    body: 'Wrong.',
    category: 'correctness',
    effect: 'wrong-result',
    reach: 'common',
    severity: 'major',
    confidence: 'likely',
    evidence: [],
    ...patch,
  };
  const id = mintId(`${finding.path} ${finding.title}`, finding.line);
  return { id, ...placeFinding(finding, readDiffLines(DIFF)) };
}

/** What a test decides besides what the run publishes. */
export interface PublishScene
  extends Partial<Omit<RequestedRun, 'requested'>>,
    Partial<Pick<PublishRequest, 'facts' | 'known' | 'lane'>>,
    Partial<Pick<RequestedOptions, 'client' | 'blockOn'>> {
  /** Paths of files that the run was not shown, or has not read. */
  readonly unseen?: readonly string[];
}

/** Publishes the end of a run of the agent `bot` on pull request 42, at its newest commit. */
export async function publish(hello: Hello, buffered: Partial<Buffered>, scene: PublishScene = {}) {
  const { facts = [], known = [], lane = 'trusted', unseen = [], blockOn = 'major', ...rest } = scene;
  const { client = 'client' in scene ? undefined : hello.client, ...run } = rest;
  const warnings: string[] = [];
  const head = hello.repo.pulls.get(42)?.head.sha ?? '';
  const commits = { head, base: hello.baseSha, diff: DIFF };
  const wanted = {
    buffered: { ...NOTHING_BUFFERED, ...buffered },
    commits,
    facts,
    known,
    lane,
    read: { coverage: undefined, unseen },
  };
  const part = await publishRequested(
    {
      trigger: pullRequest(),
      agent: 'bot',
      requested: wanted,
      scope: undefined,
      remarks: [],
      end: 'completed',
      now: NOW,
      mayComment: true,
      ...run,
    },
    {
      client,
      maxComments: 20,
      blockOn,
      extent: 'whole',
      footer: '',
      signature: '',
      reporter: { event: () => undefined, warn: (warning) => void warnings.push(warningText(warning)) },
      secrets: [],
      clean: (markdown) => markdown.replaceAll('@', ''),
      cleanTitle: (title) => title,
    },
  );
  return { part, warnings };
}
