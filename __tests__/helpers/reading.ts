import { type Facts, Reading, type Word } from '../../src/event/trust.js';

const FACTS: Readonly<Record<Word, Facts>> = {
  own: { asked: 'writer', code: 'ours', strangers: [] },
  mixed: { asked: 'writer', code: 'ours', strangers: ['it read issue #12 by eve'] },
  guest: { asked: 'other', code: 'ours', why: 'a bot caused the event', strangers: [] },
  fork: { asked: 'writer', code: 'fork', why: 'the head is a fork’s', strangers: [] },
};

/** What a run that begins as this has read. */
export function readingOf(word: Word): Reading {
  return new Reading(FACTS[word]);
}
