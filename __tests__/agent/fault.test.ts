import { expect, it } from '@jest/globals';
import { errorFault, warningFault } from '../../src/agent/fault.js';
import { ConfigError } from '../../src/lib/errors.js';

const AT = { file: 'a.toml', line: 3 };

it('an error in an agent file names what, where and a remedy', () => {
  const own = { file: 'b.toml' };
  const fault = { severity: 'error', message: 'It is wrong.', remedy: 'Fix it.', at: AT };
  expect(errorFault(new ConfigError('It is wrong.', { remedy: 'Fix it.' }), AT)).toEqual(fault);
  expect(errorFault(new ConfigError('It is wrong.', { at: own }), AT)).toMatchObject({ remedy: '', at: own });
  expect(warningFault({ message: 'Odd.' }, AT)).toMatchObject({ severity: 'warning', remedy: '', at: AT });
  expect(warningFault({ message: 'Odd.', at: own }, AT)).toMatchObject({ at: own });
});

it('is short, however long the names in it are', () => {
  const [long, cut] = ['😀'.repeat(5000), `${'😀'.repeat(999)}…`];
  expect(errorFault(new ConfigError(long, { remedy: long }), AT)).toMatchObject({
    message: cut,
    remedy: cut,
  });
  expect(warningFault({ message: long }, AT).message).toBe(cut);
});
