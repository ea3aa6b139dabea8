import '../support/full-extent.ts';
import '../vehicle-registry/soap-bad-input.test.ts';
