"""A larger judgement of whether a premise supports a hypothesis, over HTTP.

It runs one cross-encoder: the verifier's own weights, or any model of three or
two classes in the usual folder. It knows no rule, no speaker and no threshold:
it gives probabilities, and its caller decides what they are worth.
"""
