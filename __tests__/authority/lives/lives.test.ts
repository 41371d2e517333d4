// slow
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { STRANGER, WRITER } from './github.js';
import { describeLife, type Life, lives, play } from './lives.js';
import type { Step } from './world.js';

/** A tenth of what `npm run test:authority` plays. */
const LIVES = 650;

it('keeps its promises in every life of a pull request', async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(lives, async (life) => {
      const broken = await play(life);
      steps += life.steps.length;
      if (broken !== undefined) throw new Error(describeLife(life, broken));
    }),
    { numRuns: Number(process.env['LIVES'] ?? LIVES) },
  );
  const file = process.env['AUTHORITY_STEPS'];
  if (file !== undefined) writeFileSync(file, `${steps}`);
});

describe('a life that once broke a promise', () => {
  const SETUP: Life['setup'] = {
    word: 'own',
    hasState: true,
    canResolve: true,
    authorMayWrite: true,
    maxComments: 10,
    blockOn: 'major',
    failOn: undefined,
    agents: ['x'],
  };

  function step(does: Step['does'], parts: Partial<Step> = {}): Step {
    return { does, n: 0, m: 0, agent: 0, who: WRITER, fault: 'none', mind: 'good', ...parts };
  }

  const REVIEW = step('review');
  const FORK: Life['setup'] = { ...SETUP, word: 'fork', authorMayWrite: false, canResolve: false };
  /** A shrunk life is the list that a failed property prints. */
  const ALL: readonly [string, Life['setup'], readonly Step[]][] = [
    [
      'a 👎 whose comment is deleted still dismisses',
      FORK,
      [REVIEW, step('thumbDown'), REVIEW, step('erase')],
    ],
    [
      'an Unresolve counts although its author has written nothing',
      SETUP,
      [REVIEW, step('resolve', { n: 3 }), REVIEW, step('unresolve', { n: 1 })],
    ],
    [
      'a fault that is back in another file is the finding that had ended',
      { ...SETUP, blockOn: 'critical' },
      [
        REVIEW,
        step('review', { n: 4, mind: 'evil' }),
        step('delete'),
        step('reword'),
        step('review'),
      ],
    ],
    [
      'a fix that one review overlooked settles in the next',
      SETUP,
      [
        REVIEW,
        step('guard'),
        step('fix'),
        step('review', { n: 7, m: 3, mind: 'sloppy' }),
        step('delete', { n: 9 }),
        REVIEW,
      ],
    ],
    [
      'a run that began before a push ends nothing that the push has renamed',
      { ...SETUP, authorMayWrite: false },
      [step('start'), step('rename', { n: 3 }), step('review', { fault: 'lost' }), step('finish')],
    ],
    [
      'a run that began before a push raises nothing again that was dismissed meanwhile',
      { ...SETUP, authorMayWrite: false },
      [step('start'), step('rename'), REVIEW, step('reply'), step('finish')],
    ],
    [
      'a run that began before a push raises nothing again that a person closed under its new name',
      SETUP,
      [
        step('review', { n: 4, m: 5, mind: 'evil' }),
        step('start'),
        step('rename', { n: 9 }),
        step('resolve', { n: 1 }),
        REVIEW,
        step('rebase'),
        REVIEW,
        step('finish'),
      ],
    ],
    [
      'a fix in a renamed file that ends while somebody pushes stays one',
      { ...SETUP, authorMayWrite: false },
      [
        REVIEW,
        step('rename'),
        step('guard', { n: 7 }),
        step('start'),
        step('rebase'),
        step('finish'),
        REVIEW,
      ],
    ],
    [
      'a Resolve counts where our comment was edited, although an older review has its finding',
      { ...SETUP, authorMayWrite: false },
      [
        step('review', { n: 1, mind: 'sloppy' }),
        step('loseMemory'),
        REVIEW,
        step('resolve'),
        step('rebase'),
        step('edit'),
      ],
    ],
    [
      'a finding that is said late is new on every surface, although a model says that it is over',
      { ...FORK, canResolve: true },
      [step('start'), step('addFile'), step('cut'), REVIEW, step('finish'), REVIEW],
    ],
    [
      'a Resolve counts where our comment was deleted',
      SETUP,
      [REVIEW, step('reply', { m: 6 }), REVIEW, step('erase'), REVIEW, step('resolve'), REVIEW],
    ],
    [
      'a Resolve on a file of which only the mode has changed is one of a line that is there',
      SETUP,
      [step('review', { fault: 'lost' }), step('retarget'), step('chmod'), step('resolve'), REVIEW],
    ],
    [
      'a 👎 on an edited comment is of its finding, not of another one of that line',
      { ...SETUP, maxComments: 1 },
      [
        REVIEW,
        step('review', { mind: 'evil' }),
        step('thumbDown', { n: 1 }),
        step('edit', { n: 9 }),
      ],
    ],
    [
      'a 👎 on an edited comment is of the worse of two findings on one line, which alone has a comment',
      { ...SETUP, maxComments: 1 },
      [step('fault'), REVIEW, step('thumbDown'), step('edit')],
    ],
    [
      'a suggestion that is pushed ends a finding that was open when somebody reopened it',
      SETUP,
      [
        step('review', { n: 1, m: 1 }),
        step('command', { n: 1, m: 2 }),
        step('commitSuggestion', { m: 1 }),
        REVIEW,
      ],
    ],
    [
      'a command after a Resolve that no run has seen is a wish that nobody knows',
      { ...SETUP, canResolve: false, agents: ['x', 'y'] },
      [
        step('review', { agent: 1 }),
        step('guard', { n: 9 }),
        step('start', { agent: 1 }),
        step('finish'),
        step('resolve', { n: 11 }),
        REVIEW,
        step('reply', { n: 10, m: 4 }),
        step('review', { agent: 1 }),
      ],
    ],
    [
      'a finding is not raised again by the run that passes on its dismissal',
      { ...SETUP, authorMayWrite: false },
      [
        step('review', { m: 3 }),
        step('reply', { m: 4, fault: 'unreadable' }),
        REVIEW,
        step('review', { n: 11, m: 4, mind: 'evil' }),
      ],
    ],
    [
      'a finding that is back where the change shows no line keeps the one that it had',
      SETUP,
      [
        REVIEW,
        step('retarget'),
        step('skip'),
        step('rename'),
        REVIEW,
        step('reply', { m: 3 }),
        step('insert', { n: 1 }),
        REVIEW,
      ],
    ],
    [
      'a finding leaves with its name, where the change shows nothing under the new one',
      { ...SETUP, authorMayWrite: false },
      [REVIEW, step('rename'), step('chmod', { n: 3 }), step('retarget', { n: 1 })],
    ],
    [
      'a conversation that a run has opened before it read the newest record was opened by nobody',
      SETUP,
      [
        step('start'),
        REVIEW,
        step('thumbDown', { n: 1 }),
        step('skip'),
        step('erase', { n: 1 }),
        step('finish'),
      ],
    ],
    [
      'a model ends no finding that another run has moved since to a fault that is there',
      SETUP,
      [
        REVIEW,
        step('start', { n: 8, m: 2, mind: 'evil' }),
        step('chmod'),
        step('finish'),
        step('restoreFile'),
        step('start'),
        step('review', { n: 2, m: 3, mind: 'evil' }),
        step('finish'),
      ],
    ],
    [
      'a model does not end the finding that it has just named for another fault',
      SETUP,
      [
        step('review', { n: 5, m: 3, mind: 'evil' }),
        step('commitSuggestion', { m: 1 }),
        step('review', { m: 2, mind: 'evil' }),
        step('reply'),
        REVIEW,
      ],
    ],
    [
      'a finding that was raised again without a fault ends as wrong',
      SETUP,
      [
        REVIEW,
        step('guard', { n: 1 }),
        REVIEW,
        step('review', { n: 1, m: 1, mind: 'evil' }),
        REVIEW,
      ],
    ],
    [
      'a fix is the end again once a 👎 is taken back, although its fault is back since',
      { ...SETUP, word: 'guest' },
      [
        step('fix'),
        REVIEW,
        step('fix'),
        REVIEW,
        step('thumbDown'),
        step('revert'),
        step('takeThumbBack'),
      ],
    ],
    [
      'an Unresolve counts while a run that began before the Resolve ends the finding',
      SETUP,
      [
        step('start'),
        step('fix'),
        step('guard'),
        step('finish'),
        step('start'),
        step('resolve', { n: 1 }),
        REVIEW,
        step('unresolve', { n: 1 }),
        step('finish'),
      ],
    ],
    [
      'a model ends what a person opened, although its run cannot save that',
      SETUP,
      [
        step('review', { n: 1 }),
        step('commitSuggestion', { m: 1 }),
        REVIEW,
        step('unresolve'),
        step('review', { fault: 'unsaved' }),
      ],
    ],
    [
      'an answer that did not arrive under a comment that was deleted is said once',
      { ...FORK, maxComments: 1, blockOn: undefined },
      [
        step('review', { n: 4, mind: 'evil' }),
        step('fix'),
        step('review', { n: 6, m: 1, mind: 'sloppy' }),
        step('erase'),
        step('review', { mind: 'evil', fault: 'lost', who: STRANGER }),
      ],
    ],
  ];

  it.each(ALL)('%s', async (_, setup, steps) => {
    const life = { setup, steps };
    const broken = await play(life);
    expect(broken && describeLife(life, broken)).toBeUndefined();
  });
});
