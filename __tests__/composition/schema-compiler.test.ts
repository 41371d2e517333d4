import { describe, expect, it } from '@jest/globals';
import { createSchemaCompiler } from '../../src/composition/schema-compiler.js';

const ORIGIN = '`output-schema`';

describe('the checks by schema', () => {
  it('distinguish valid values from invalid ones, each by its own schema', async () => {
    const compile = createSchemaCompiler();
    const [isText, isNumber] = await Promise.all([
      compile({ type: 'string' }, ORIGIN, () => Number.POSITIVE_INFINITY),
      compile({ type: 'number' }, ORIGIN, () => Number.POSITIVE_INFINITY),
    ]);
    expect([isText('a'), isNumber(1)]).toEqual([[], []]);
    expect([isText(1), isNumber('a')]).toEqual([
      ['the answer must be string'],
      ['the answer must be number'],
    ]);
  });

  it('are refused with the place the schema comes from', async () => {
    await expect(
      createSchemaCompiler()({ pattern: '(' }, ORIGIN, () => Number.POSITIVE_INFINITY),
    ).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining(ORIGIN),
    });
  });
});
