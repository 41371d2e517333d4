import { expect, it } from '@jest/globals';
import { failureReporter } from '../../../src/actions/report/failure.js';
import { AxeError, ProviderError } from '../../../src/core/errors.js';
import type { Warning } from '../../../src/core/warning.js';

const format = (thrown: unknown, warnings: readonly Warning[] = []) =>
  failureReporter(thrown).formatSummary({
    warnings,
    view: { isHidden: false, notes: [] },
    clean: (text) => text,
  });

it('the summary of a failed run shows the error unchanged, its remedy and the warnings until then', () => {
  const warnings: readonly Warning[] = [{ code: 'agent-unknown-key', message: 'unknown key' }];
  const missing = new AxeError('agent config not found: bot', { remedy: 'There are: `other`.' });
  expect(format(missing, warnings)).toBe(
    '### axe-action: failure\n\n```text\nagent config not found: bot\n```\n\nThere are: `other`.\n\n**Warnings**\n\n- unknown key',
  );
  expect(format(new ProviderError('timeout', 'm'))).toBe(
    '### axe-action: timeout\n\n```text\ntimeout: m\n```',
  );
});
