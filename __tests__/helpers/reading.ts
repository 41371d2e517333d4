import { type Facts, Reading, type Word } from '../../src/event/trust.js';

const FACTS: Readonly<Record<Word, Facts>> = {
  own: { asker: 'writer', code: 'ours', strangers: [] },
  mixed: { asker: 'writer', code: 'ours', strangers: ['it read issue #12 by eve'] },
  guest: { asker: 'other', code: 'ours', why: 'a bot caused the event', strangers: [] },
  fork: { asker: 'writer', code: 'fork', why: 'the head is a fork’s', strangers: [] },
};

/** What a run that begins as this has read. */
export function readingOf(word: Word): Reading {
  return new Reading(FACTS[word]);
}
