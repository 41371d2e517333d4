import { describe, expect, it } from '@jest/globals';
import { errorFault, warningFault } from '../../src/agent/fault.js';
import { ConfigError } from '../../src/lib/errors.js';

const AT = { file: 'a.toml', line: 3 };

describe('an error in an agent file', () => {
  it('names what, where and a remedy', () => {
    const own = { file: 'b.toml' };
    expect(errorFault(new ConfigError('It is wrong.', { remedy: 'Fix it.' }), AT)).toEqual({
      severity: 'error',
      message: 'It is wrong.',
      remedy: 'Fix it.',
      at: AT,
    });
    expect(errorFault(new ConfigError('It is wrong.', { at: own }), AT)).toMatchObject({
      remedy: '',
      at: own,
    });
    expect(warningFault({ message: 'It is odd.' }, AT)).toMatchObject({
      severity: 'warning',
      remedy: '',
      at: AT,
    });
    expect(warningFault({ message: 'It is odd.', at: own }, AT)).toMatchObject({ at: own });
  });

  it('is short, however long the names in it are', () => {
    const long = '😀'.repeat(5000);
    const error = errorFault(new ConfigError(long, { remedy: long }), AT);
    const cut = `${'😀'.repeat(999)}…`;
    expect([error.message, error.remedy, warningFault({ message: long }, AT).message]).toEqual([
      cut,
      cut,
      cut,
    ]);
    const fitting = '😀'.repeat(1000);
    expect(warningFault({ message: fitting }, AT).message).toBe(fitting);
  });
});
