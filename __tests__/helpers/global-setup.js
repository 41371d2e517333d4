// Plain JavaScript, and its import by the real name: jest loads this file without its own rules.
import { PRISM_PORT, startPrismService } from './prism-service.ts';

/** Runs in jest's own process before all suites; what it starts ends with that process. */
export default async function setUp() {
  const { port } = await startPrismService();
  process.env[PRISM_PORT] = String(port);
}
