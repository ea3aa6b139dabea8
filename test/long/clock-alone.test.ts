import '../support/full-extent.ts';
import '../range/clocks/alone.test.ts';
