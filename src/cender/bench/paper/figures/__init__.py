"""The paper's figures from our data: what each of them shows is computed here, and drawn by `cender.plots.paper`."""
