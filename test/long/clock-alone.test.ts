import '../support/full-extent.ts';
import '../range/clock-alone.test.ts';
