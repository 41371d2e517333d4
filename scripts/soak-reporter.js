// What soak.js shows of a round: each failure as it comes, with the command that repeats it.
// Failures go to the round's log.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

const { PROPERTY_SEED, PROPERTY_RUNS, PROPERTY_LOG } = process.env;

export default class SoakReporter {
  onTestFileResult({ path }, { testResults, testExecError, failureMessage }) {
    const suite = relative(process.cwd(), path);
    const failures = testResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of failures)
      tell(suite, fullName, failureMessages.join('\n'));
    if (testExecError && failures.length === 0)
      tell(suite, '', failureMessage ?? String(testExecError));
  }
}

function tell(suite, test, message) {
  const name = test === '' ? '' : ` -t ${quoted(escaped(test))}`;
  const repeat = `PROPERTY_SEED=${PROPERTY_SEED} PROPERTY_RUNS=${PROPERTY_RUNS} npm test -- ${suite}${name}`;
  process.stdout.write(`\nFAILED ${suite}: ${test}\n${message}\nRepeat with:\n  ${repeat}\n\n`);
  appendFileSync(PROPERTY_LOG, `${JSON.stringify({ testPath: suite, test, failed: 1 })}\n`);
}

/** jest takes the name for a regular expression. */
function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
