import '../support/full-extent.ts';
import '../range/class/transfer-codes.test.ts';
