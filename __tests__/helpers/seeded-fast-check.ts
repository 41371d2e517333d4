// Stands in for `fast-check` in all tests (jest.config.js): by its path here, since its name leads to this file.
import fc from '../../node_modules/fast-check/lib/fast-check.js';

/**
 * Properties draw the same values in every run, so that a run is red for a change and never for its luck;
 * `PROPERTY_SEED=<number>` draws others.
 */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 20_260_101) });

export default fc;
