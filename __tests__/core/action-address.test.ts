import { describe, expect, it } from '@jest/globals';
import { agentSchemaUrl, parseActionAddress } from '../../src/core/action-address.js';

describe('the address of the action', () => {
  it('points to the schema of the version that the workflow uses', () => {
    expect(agentSchemaUrl('octo-org/axe@v1.2.0')).toBe(
      'https://raw.githubusercontent.com/octo-org/axe/v1.2.0/schema/agent.schema.json',
    );
  });

  it.each(['axe@v1', 'a/b', 'a/b@', 'a/b/c@v1', 'a/b@v1 x', '../b@v1'])('is not %j', (text) => {
    expect(parseActionAddress(text)).toBeUndefined();
    expect(() => agentSchemaUrl(text)).toThrow('not the address');
  });
});
