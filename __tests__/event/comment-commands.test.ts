import { expect, it } from '@jest/globals';
import { askedQuestion, COMMENT_COMMANDS, listForHelp } from '../../src/event/comment-commands.js';
import { reviewCommand } from '../../src/findings/change/scope.js';
import { readCommand } from '../../src/run/commands/run-command.js';
import { comment } from '../helpers/triggers.js';

it('`/axe help` is a list with each command but itself, no line longer than a phone shows well', () => {
  const help = listForHelp(true);
  for (const { name } of COMMENT_COMMANDS.filter((command) => command.name !== 'help'))
    expect(help.split(`\`/axe ${name}`)).toHaveLength(name === 'dismiss' ? 3 : 2);
  expect(help).not.toContain('|');
  expect(help.split('\n').filter((line) => line.length > 70)).toEqual([]);
});

it('`/axe help` offers `/axe fix` only where the workflow allows changes', () => {
  expect(listForHelp(false)).not.toContain('fix');
  expect(listForHelp(true).split('\n')).toHaveLength(listForHelp(false).split('\n').length + 1);
});

it.each(COMMENT_COMMANDS.flatMap(({ name, forms }) => forms.map((form) => [form, name] as const)))(
  'a listed command is recognized: %s',
  (form, name) => {
    const written = form
      .replace('<id>', '9f2c4d5e')
      .replace('<text>', 'We use tabs.')
      .replace('<name>', 'FQ7K2')
      .replace(' [reason]', '');
    const trigger = comment({ on: 'pull_request', body: written });
    const read = readCommand(trigger, '');
    if (name === 'review') {
      expect([read, reviewCommand(trigger)]).toEqual([
        undefined,
        { isFull: form.endsWith('full') },
      ]);
      return;
    }
    if (name === 'ask') {
      expect([read, askedQuestion(trigger)]).toEqual([undefined, '<question>']);
      return;
    }
    expect(read).toMatchObject({ verb: name });
  },
);

it.each([
  ['/axe ask why?', 'why?', undefined],
  ['/AXE Ask\nwhy?\n> because', 'why?', undefined],
  ['/axe ask help', 'help', undefined],
  ['/axe ask', '', { verb: 'ask' }],
  ['/axe asks why?', undefined, undefined],
  ['so /axe ask why?', undefined, undefined],
  ['> /axe ask why?', undefined, undefined],
])('the question of %j is %j', (body, question, command) => {
  const trigger = comment({ body });
  expect([askedQuestion(trigger), readCommand(trigger, '@axe')]).toEqual([question, command]);
});
