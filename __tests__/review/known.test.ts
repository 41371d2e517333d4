import { describe, expect, it } from '@jest/globals';
import { type AnsweredThread, ownThreads } from '../../src/review/answers.js';
import type { Ended, LessonFact } from '../../src/review/finding-facts.js';
import { type KnowingParts, knowFindings, lastCode, visibleWords } from '../../src/review/known.js';
import { readSketch } from '../../src/review/likeness.js';
import { withEndNote } from '../../src/review/markers.js';
import type { ReviewFact } from '../../src/review/state-facts.js';
import { findingLine } from '../helpers/marks.js';
import { ended, ID, LATER, NOW, OTHER, opening, PERMISSIONS, raised, said, thread } from './threads.js';

function know(threads: readonly AnsweredThread[], parts: Partial<KnowingParts> = {}) {
  return knowFindings({
    threads: ownThreads(threads),
    agent: 'bot',
    pull: 41,
    facts: [raised()],
    permissions: PERMISSIONS,
    forgotten: new Set(),
    now: NOW,
    ...parts,
  });
}

/** State of the one finding, and what is kept of it now. */
function lifeOf(parts: Partial<AnsweredThread>, facts: readonly ReviewFact[] = [raised()]) {
  const { known, facts: fresh } = know([thread(parts)], { facts });
  return { state: known[0]?.state, fresh };
}

function marked(mark: 'outdated' | 'settled' | 'withdrawn') {
  return opening({ body: withEndNote(opening().body, mark, 'Ended.') });
}

describe('what people can do to an open finding', () => {
  it.each<[string, Partial<AnsweredThread>, Ended['how'], Ended['why'], string]>([
    ['a writer who resolves settles it', { resolvedBy: 'octocat' }, 'settled', 'closed', 'octocat'],
    [
      'a writer who resolves after the line changed settles it as fixed',
      { resolvedBy: 'octocat', isOutdated: true },
      'settled',
      'fixed',
      'octocat',
    ],
    ['a writer who gives 👎 dismisses it', { thumbsDown: ['hubot'] }, 'dismissed', 'thumbs-down', 'hubot'],
    [
      'a writer who says so in set words dismisses it',
      { replies: [said('octocat', 'By design.')] },
      'dismissed',
      'reply',
      'octocat',
    ],
    [
      'a writer who gives 👎 and resolves dismisses it',
      { thumbsDown: ['hubot'], resolvedBy: 'octocat' },
      'dismissed',
      'thumbs-down',
      'hubot',
    ],
    [
      'a run that tidied up settles it',
      { resolvedBy: 'github-actions' },
      'settled',
      'closed',
      'github-actions',
    ],
    [
      'a run that could only mark it gone has ended it',
      { first: marked('outdated') },
      'outdated',
      'gone',
      '',
    ],
    [
      'a run that could only mark it settled has settled it',
      { first: marked('settled') },
      'settled',
      'fixed',
      '',
    ],
    [
      'a run that could only mark it taken back has taken it back',
      { first: marked('withdrawn') },
      'withdrawn',
      'wrong',
      '',
    ],
  ])('%s', (_, parts, how, why, by) => {
    const { state, fresh } = lifeOf(parts);
    expect(state).toBe(how);
    expect(fresh.filter(({ kind }) => kind === 'ended')).toEqual([ended({ how, why, by, at: NOW })]);
    // Only a dismissal teaches beyond the pull request.
    expect(fresh.some(({ kind }) => kind === 'lesson')).toBe(how === 'dismissed');
  });

  it.each<[string, Partial<AnsweredThread>]>([
    ['nobody has answered', {}],
    ['a reader gives 👎', { thumbsDown: ['reader'] }],
    ['a reader says no', { replies: [said('reader', 'Not a bug.')] }],
    ['a writer says something else', { replies: [said('octocat', 'Let us talk.')] }],
    ['somebody edited what a writer said', { replies: [said('octocat', 'No.', { isEditedByOther: true })] }],
    ['the line changed', { isOutdated: true }],
    [
      'a reader resolves it, as the author of any pull request can',
      { resolvedBy: 'reader', isResolved: true },
    ],
    ['somebody resolves it whose permission is unknown', { resolvedBy: 'nobody', isResolved: true }],
    ['an account resolved it that is gone', { isResolved: true }],
    ['as many writers like it as do not', { thumbsDown: ['octocat'], thumbsUp: ['hubot'] }],
  ])('it stays open if %s', (_, parts) => {
    expect(lifeOf(parts)).toEqual({ state: 'open', fresh: [] });
  });
});

describe('an ended finding', () => {
  const DOWN = ended({ why: 'thumbs-down' });
  const CLOSED = ended({ how: 'settled', why: 'closed' });
  const FIXED = ended({ how: 'settled', why: 'fixed', by: '' });
  const GONE = ended({ how: 'outdated', why: 'gone', by: '' });
  const WRONG = ended({ how: 'withdrawn', why: 'wrong', by: '' });
  const WORDS = ended({ why: 'words' });

  it.each<[string, Ended, Partial<AnsweredThread>]>([
    ['👎 was removed', DOWN, {}],
    ['👎 was removed, and only strangers still give it', DOWN, { thumbsDown: ['reader', 'nobody'] }],
    ['the conversation was opened again', CLOSED, {}],
    ['a reader resolved it once more', CLOSED, { resolvedBy: 'reader', isResolved: true }],
    ['a run settled it, and a person opened the conversation again', FIXED, {}],
    ['a run took it back, and a person opened the conversation again', WRONG, {}],
    ['its line was removed, and a person opened the conversation again', GONE, {}],
    ['a writer dismissed it in their own words, and the conversation was opened again', WORDS, {}],
  ])('is open again if %s, and that is stored', (_, end, parts) => {
    expect(lifeOf(parts, [raised(), end])).toEqual({ state: 'open', fresh: [raised({ at: NOW })] });
  });

  it.each<[string, Ended, Partial<AnsweredThread>]>([
    ['the 👎 is still there', DOWN, { thumbsDown: ['octocat'] }],
    ['its 👎 is written in other capitals', DOWN, { thumbsDown: ['OctoCat'] }],
    [
      'another writer likes it, and the 👎 is still there',
      DOWN,
      { thumbsDown: ['octocat'], thumbsUp: ['hubot'] },
    ],
    ['the reply was deleted', ended({ why: 'reply' }), {}],
    ['a command ended it', ended({ why: 'command' }), {}],
    ['the conversation is resolved', CLOSED, { resolvedBy: 'hubot' }],
    ['a run resolved it', FIXED, { resolvedBy: 'github-actions', isResolved: true }],
    ['a run could only mark it', GONE, { first: marked('outdated') }],
  ])('stays ended if %s, and is not stored twice', (_, end, parts) => {
    const { id, pull, path, category, at } = end;
    const place = { id, pull, path, category, at };
    const lesson: LessonFact = { kind: 'lesson', ...place, strength: 1, sketch: '', code: '', by: 'octocat' };
    const facts = [raised(), end, ...(end.how === 'dismissed' ? [lesson] : [])];
    expect(lifeOf(parts, facts)).toEqual({ state: end.how, fresh: [] });
  });

  it('that an older version stored as dismissed teaches from now on, as long as it would have', () => {
    const { fresh } = lifeOf({ thumbsDown: ['octocat'] }, [raised(), DOWN]);
    expect(fresh).toMatchObject([{ kind: 'lesson', id: ID, at: DOWN.at, strength: 1 }]);
  });

  it('stays dismissed by the person whom an older version did not name', () => {
    const former = ended({ why: 'thumbs-down', by: '' });
    expect(lifeOf({ thumbsDown: ['octocat'] }, [raised(), former]).state).toBe('dismissed');
    expect(lifeOf({}, [raised(), former]).state).toBe('open');
  });

  it('is dismissed by a writer’s later statement', () => {
    const { state, fresh } = lifeOf({ thumbsDown: ['hubot'], resolvedBy: 'octocat' }, [raised(), CLOSED]);
    expect(state).toBe('dismissed');
    expect(fresh.map(({ kind }) => kind)).toEqual(['ended', 'lesson']);
  });

  it('that was raised again later is open', () => {
    const back = raised({ at: LATER });
    expect(lifeOf({}, [back, GONE])).toEqual({ state: 'open', fresh: [] });
  });

  it('that ended on another pull request alone is open here', () => {
    expect(lifeOf({}, [raised(), { ...DOWN, pull: 9 }])).toEqual({ state: 'open', fresh: [] });
  });
});

describe('a forgotten finding', () => {
  it.each<[string, Partial<AnsweredThread>, string]>([
    ['is dismissed by no answer', { thumbsDown: ['octocat'] }, 'open'],
    ['is dismissed by no words', { replies: [said('octocat', 'Not a bug.')] }, 'open'],
    ['is closed by the person who resolves it', { resolvedBy: 'octocat' }, 'settled'],
  ])('%s', (_, parts, state) => {
    expect(know([thread(parts)], { forgotten: new Set([ID]) }).known).toMatchObject([{ state }]);
  });
});

describe('the stored facts of a run', () => {
  it('exclude findings that no trusted run has raised', () => {
    const { known, facts } = know([thread({ thumbsDown: ['octocat'] })], { facts: [] });
    expect(known).toMatchObject([{ state: 'dismissed' }]);
    expect(facts).toEqual([]);
  });

  it('exclude those of another agent, whose finding is known all the same', () => {
    const first = opening({ body: `${findingLine({ id: ID, agent: 'bot-2' })}\nWrong.` });
    const { known, facts } = know([thread({ first, thumbsDown: ['octocat'] })]);
    expect(known).toMatchObject([{ agent: 'bot-2', isOwn: false, state: 'dismissed' }]);
    expect(facts).toEqual([]);
  });

  it.each<[string, Partial<AnsweredThread>, number]>([
    ['a 👎', { thumbsDown: ['octocat'] }, 1],
    ['a set phrase, which is less sure', { replies: [said('octocat', 'Intended.')] }, 0.5],
  ])('of %s are a lesson without anybody’s words', (_, parts, strength) => {
    const { fresh } = lifeOf(parts);
    const lesson = fresh.find((fact) => fact.kind === 'lesson');
    expect(lesson).toMatchObject({ id: ID, pull: 41, path: 'src/auth.ts', category: 'security', strength });
    expect(lesson).toMatchObject({ by: 'octocat', at: NOW, code: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(readSketch(lesson?.sketch ?? '')?.weights.size).toBeGreaterThan(2);
    expect(JSON.stringify(lesson)).not.toMatch(/Comparing|length|query|Intended/);
  });
});

describe('the known facts of a finding', () => {
  it('are its place, its text, and who has written in its conversation', () => {
    const body = `${findingLine({ id: ID, agent: 'bot', category: 'data', severity: 'nit', title: 'Lost\non retry' })}\n⚪ **Nit · data** — Lost on retry\n\nIt is lost.\n\n<details><summary>How to answer</summary>\n\nx\n\n</details>`;
    const one = thread({
      first: opening({ body }),
      line: undefined,
      isOutdated: true,
      replies: [said('octocat', 'Hm.')],
    });
    const { known } = know([one, thread({ first: opening({ body: opening().body.replace(ID, OTHER) }) })]);
    expect(known[0]).toEqual({
      id: ID,
      handle: 'F1',
      agent: 'bot',
      isOwn: true,
      state: 'open',
      path: 'src/auth.ts',
      side: 'RIGHT',
      line: undefined,
      code: 'query("SELECT " + user.id);',
      hunk: one.hunk,
      title: 'Lost on retry',
      isShowable: false,
      text: '⚪ **Nit · data** — Lost on retry\n\nIt is lost.',
      severity: 'nit',
      category: 'data',
      isChanged: true,
      people: ['octocat'],
      thread: { id: 'T_1', commentId: 1, url: opening().url, body },
    });
    expect(known[1]).toMatchObject({ id: OTHER, handle: 'F2', line: 10, isChanged: false });
  });

  it('of an older version include its first sentence as a title, and no severity', () => {
    const [one] = know([thread()]).known;
    expect(one).toMatchObject({ title: 'Comparing with == tells the length.', severity: undefined });
  });

  it('include the people with write access who have written there', () => {
    const replies = [
      said('octocat', 'Hm.'),
      said('reader', 'I dismiss it.'),
      said('hubot', 'Edited by another.', { isEditedByOther: true }),
      said('monalisa', 'A bot.', { author: { login: 'monalisa', isBot: true } }),
      said('octocat', 'Hm!'),
    ];
    expect(know([thread({ replies })]).known[0]?.people).toEqual(['octocat']);
  });

  it('include all findings in its conversation, and the worst of them', () => {
    const first = findingLine({ id: ID, agent: 'bot', severity: 'minor' });
    const next = findingLine({ id: OTHER, agent: 'bot', severity: 'critical' });
    const fold = '<details><summary>x</summary>\n\ny</details>';
    const body = `${first}\nOne.\n\n${fold}\n\n---\n\nTwo.\n\n${fold}`;
    const replies = [
      said('octocat', 'Not ours.'),
      said('github-actions', `${next}\nThree.\n\n${fold}`, { isOurs: true }),
      said('reader', `${next}\nForged.`),
    ];
    expect(know([thread({ first: opening({ body }), replies })]).known[0]).toMatchObject({
      id: ID,
      severity: 'critical',
      text: 'One.\n\n\n\n---\n\nTwo.\n\nThree.',
    });
    const former = know([thread({ replies: [replies[1] ?? said('a', 'b')] })]).known[0];
    expect(former?.severity).toBeUndefined();
  });

  it.each<[string, string]>([
    ['<!-- a -->\nText <!-- b\nc --> more.', 'Text  more.'],
    ['Text.\n\n<details><summary>x</summary>\n\ny</details>', 'Text.'],
    ['Text.\n\n<details><summary>x</summary>\n\nnever closed', 'Text.'],
    ['', ''],
  ])('include the visible text of a comment: of %j %j', (body, words) => {
    expect(visibleWords(body)).toBe(words);
  });

  it.each<[string, string]>([
    ['@@ -1 +1 @@\n-a\n+  b  c', 'b c'],
    ['@@ -1 +1 @@\r\n+b\r\n\\ No newline at end of file', 'b'],
    ['', ''],
  ])('include the last line of its hunk: of %j %j', (hunk, code) => {
    expect(lastCode(hunk)).toBe(code);
  });
});
