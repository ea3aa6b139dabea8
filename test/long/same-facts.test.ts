import '../support/full-extent.ts';
import '../vehicle-registry/same-facts.test.ts';
