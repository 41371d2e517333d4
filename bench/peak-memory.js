// Preloaded into a benchmarked process: at its end it writes its largest resident size, in kilobytes, and its seconds of
// processor time to descriptor 3.
import { readFileSync, writeSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, `${peakKilobytes()} ${(user + system) / 1e6}`);
});

/** On Linux `maxRSS` begins with the size of the process that started this one, and the kernel's own figure does not. */
function peakKilobytes() {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kilobytes);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
