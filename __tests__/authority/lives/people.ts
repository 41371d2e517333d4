import { isOpen } from '../../../src/findings/finding.js';
import { copyOfRecord, isReplyText } from '../../../src/findings/kept-finding.js';
import type { KnownFinding } from '../../../src/findings/known-finding.js';
import { formatMark } from '../../../src/safety/mark.js';
import { findingLine } from '../../helpers/marks.js';
import { pick } from './code.js';
import { BOT, type Conversation, STRANGER, WRITER } from './github.js';
import { hasRecord } from './runs.js';
import type { Wish } from './wishes.js';
import type { Step, World } from './world.js';

/** A person does something on the pull request. */
type Gesture = (world: World, step: Step) => void;

const WORDS: readonly (readonly [string, Wish | undefined])[] = [
  ['Not a bug.', 'dismissed'],
  ['Why?', undefined],
  ['/axe dismiss', 'dismissed'],
  ['/axe done', 'closed'],
  ['/axe reopen', 'opened'],
];

/** Only the author of a pull request and people with write access can. */
function mayResolve({ setup }: World, who: string): boolean {
  return who === WRITER || !setup.authorMayWrite;
}

function conversationOf({ github }: World, { n }: Step): Conversation | undefined {
  return pick(github.conversations, n);
}

/** Our comment that began a conversation. */
function openingOf(conversation: Conversation | undefined) {
  const first = conversation?.posts[0];
  return first?.login === BOT && !isReplyText(first.body) ? first : undefined;
}

function findingsOf(world: World, conversation: Conversation | undefined): readonly KnownFinding[] {
  return world
    .findings()
    .filter(({ thread }) => thread !== undefined && thread.id === conversation?.id);
}

const isPersons = ({ state, by }: KnownFinding) => state !== 'open' && by === 'person';

/** To reopen what is open decides nothing. */
function sayWish({ wishes }: World, finding: KnownFinding, wish: Wish): void {
  wishes.timed(finding.id, wish === 'opened' && isOpen(finding) ? undefined : wish);
}

export const GESTURES = {
  resolve(world, step) {
    const conversation = conversationOf(world, step);
    if (conversation === undefined || conversation.resolvedBy !== undefined) return;
    if (!mayResolve(world, step.who)) return;
    for (const finding of findingsOf(world, conversation)) {
      const isChanged = step.who === WRITER && !isPersons(finding);
      world.wishes.timeless(finding.id, isChanged ? 'closed' : undefined);
    }
    conversation.resolvedBy = step.who;
  },
  unresolve(world, step) {
    const conversation = conversationOf(world, step);
    if (conversation?.resolvedBy === undefined || !mayResolve(world, step.who)) return;
    const { resolvedBy } = conversation;
    for (const finding of findingsOf(world, conversation)) {
      const { id, stored } = finding;
      const isSeen =
        stored?.saw.resolvedBy?.replace('[bot]', '') === resolvedBy.replace('[bot]', '');
      const isHeard = world.setup.authorMayWrite && resolvedBy !== STRANGER;
      if (!isSeen) world.wishes.timeless(id);
      world.wishes.timeless(id, isHeard ? 'opened' : undefined);
    }
    conversation.resolvedBy = undefined;
  },
  thumbDown(world, step) {
    const conversation = conversationOf(world, step);
    const opening = openingOf(conversation);
    if (opening === undefined || opening.thumbs.some(({ login }) => login === step.who)) return;
    opening.thumbs.push({ login: step.who, at: world.github.now().toISOString() });
    if (step.who !== WRITER) return;
    for (const { id } of findingsOf(world, conversation)) world.wishes.timed(id, 'dismissed');
  },
  takeThumbBack(world, step) {
    const conversation = conversationOf(world, step);
    const opening = openingOf(conversation);
    if (opening === undefined || !opening.thumbs.some(({ login }) => login === step.who)) return;
    opening.thumbs = opening.thumbs.filter(({ login }) => login !== step.who);
    if (step.who !== WRITER) return;
    for (const { id, state, why, login } of findingsOf(world, conversation)) {
      const isByThumb = state === 'dismissed' && why === 'thumbs-down' && login === step.who;
      world.wishes.timeless(id, isByThumb ? 'opened' : undefined);
    }
  },
  reply(world, step) {
    const conversation = conversationOf(world, step);
    const [text = '', wish] = pick(WORDS, step.m) ?? [];
    if (conversation === undefined) return;
    const findings = findingsOf(world, conversation);
    conversation.posts.push(world.github.post(step.who, text));
    if (step.who !== WRITER) return;
    for (const { id } of findings) world.spokenOf.add(id);
    if (wish !== undefined) for (const each of findings) sayWish(world, each, wish);
  },
  command(world, step) {
    const { handle } = pick(world.findings(), step.n) ?? {};
    const [text = '', wish] = pick(WORDS.slice(2), step.m) ?? [];
    if (handle === undefined) return;
    world.github.comments.push(world.github.post(step.who, `${text} ${handle}`));
    if (step.who !== WRITER || wish === undefined) return;
    for (const finding of world.findings())
      if (finding.handle === handle) sayWish(world, finding, wish);
  },
  /** Deletes our comment; without any other its conversation is gone. */
  erase(world, step) {
    const conversation = conversationOf(world, step);
    const opening = openingOf(conversation);
    if (conversation === undefined || opening === undefined || step.who !== WRITER) return;
    for (const { id } of findingsOf(world, conversation)) world.wishes.timeless(id);
    conversation.posts = conversation.posts.filter((post) => post !== opening);
    if (conversation.posts.length > 0) return;
    const { github } = world;
    github.conversations = github.conversations.filter((each) => each !== conversation);
  },
  /** Edits our comment, and may take out its hidden line. */
  edit(world, step) {
    const opening = openingOf(conversationOf(world, step));
    if (opening === undefined || step.who !== WRITER) return;
    opening.editor = step.who;
    opening.body = step.m % 2 === 0 ? `${opening.body}\nEdited.` : 'Edited.';
  },
  /** Dismisses a review of ours that asks for changes. */
  overrule(world, step) {
    const asking = world.github.reviews.filter(({ state }) => state === 'CHANGES_REQUESTED');
    const review = pick(asking, step.n);
    if (review === undefined || step.who !== WRITER) return;
    Object.assign(review, { state: 'DISMISSED', dismissedBy: step.who });
    world.isOverruled = true;
  },
  /**
   * Ends every finding by texts alone: another workflow posts a review under our account, or a
   * stranger copies our hidden lines.
   */
  forge(world, step) {
    const { github, setup } = world;
    const agent = pick(setup.agents, step.m) ?? '';
    const ended = (world.readings.get(agent)?.findings ?? []).flatMap(({ stored }) =>
      stored === undefined
        ? []
        : [{ ...stored, state: 'settled', by: 'person', rev: stored.rev + 1 } as const],
    );
    const isOurs = step.m % 2 === 1 && hasRecord(world, agent);
    const record = copyOfRecord({ findings: ended, heard: [], review: 0 });
    const mark = { kind: 'review', agent, head: github.head, part: 1, says: [], record };
    github.reviews.push({
      id: github.newId(),
      login: isOurs ? BOT : STRANGER,
      at: github.now().toISOString(),
      head: github.head,
      state: 'COMMENTED',
      body: `${formatMark(mark)}\nEverything is fine.`,
    });
    const [first] = ended;
    if (first !== undefined)
      github.conversations
        .at(-1)
        ?.posts.push(github.post(STRANGER, `${findingLine({ agent, ...first })}\nForged.`));
  },
} satisfies Readonly<Record<string, Gesture>>;

export type GestureName = keyof typeof GESTURES;

export const GESTURE_NAMES = Object.keys(GESTURES) as readonly GestureName[];
