import type { RunReport } from '../../run/request.js';
import { dryRunReporter } from './dry-run.js';
import { gcReporter } from './gc.js';
import { memoryReporter } from './memory.js';
import type { KindReporter } from './reporter.js';
import { runReporter } from './run.js';
import { skippedReporter } from './skipped.js';
import { validateReporter } from './validate.js';

/** The reporter of each kind. */
export function reporterOf(report: RunReport): KindReporter {
  switch (report.kind) {
    case 'ran':
      return runReporter(report);
    case 'planned':
      return dryRunReporter(report);
    case 'skipped':
      return skippedReporter(report);
    case 'memory-command':
      return memoryReporter(report);
    case 'gc':
      return gcReporter(report);
    case 'validated':
      return validateReporter(report);
  }
}
