import { formatProvenance } from '../../src/memory/provenance.js';
import { formatEntry } from '../../src/memory/run-log.js';

/** An entry as a review leaves one. */
export function benchEntry(id: string, timestamp: Date): string {
  const none = undefined;
  const provenance = formatProvenance({
    id,
    run: none,
    job: none,
    event: none,
    sha: none,
    actor: none,
    trust: none,
    model: none,
  });
  return formatEntry({ timestamp, task: 'Review pull request #42', result: 'x'.repeat(800), provenance });
}
