# Configuration of the IR tests, for lit (https://llvm.org/docs/CommandGuide/lit.html).
#
# Tools are looked for in this order:
#   mytriton-opt and its like   environment variable (MYTRITON_OPT, MYTRITON_LSP, MYTRITON), -Dtools_dir=DIR,
#                               then target/debug under the top directory or CARGO_TARGET_DIR
#   FileCheck and its like      environment variable (FILECHECK, NOT, SPLIT_FILE), -Dllvm_tools_dir=DIR,
#                               then bin under MLIR_SYS_220_PREFIX, then /usr/lib/llvm-22/bin

import os

import lit.formats

config.name = "mytriton"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ssa", ".test"]
config.excludes = ["Inputs", "Output", "lit.cfg.py"]

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
target = os.path.join(top, os.environ.get("CARGO_TARGET_DIR", "target"))
config.test_source_root = os.path.join(top, "lit-tests")
config.test_exec_root = os.path.join(target, "lit-tests")

tools_dir = lit_config.params.get("tools_dir", os.path.join(target, "debug"))
llvm_prefix = os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22")
llvm_tools_dir = lit_config.params.get("llvm_tools_dir", os.path.join(llvm_prefix, "bin"))


def substitute(name, variable, directory, needed):
    """Makes the word `name` in RUN lines the path of that tool."""
    path = os.environ.get(variable, os.path.join(directory, name))
    if os.access(path, os.X_OK):
        config.available_features.add(name)
    elif needed:
        lit_config.fatal(f"{name} is not at {path}: build it, or set {variable}")
    # A whole word: neither part of another tool's name, nor of a path or option.
    config.substitutions.append((rf"(?<![\w./-]){name}(?![\w./-])", path))


substitute("mytriton-opt", "MYTRITON_OPT", tools_dir, needed=True)
substitute("mytriton-lsp", "MYTRITON_LSP", tools_dir, needed=False)
substitute("mytriton", "MYTRITON", tools_dir, needed=False)
substitute("FileCheck", "FILECHECK", llvm_tools_dir, needed=True)
substitute("not", "NOT", llvm_tools_dir, needed=True)
substitute("split-file", "SPLIT_FILE", llvm_tools_dir, needed=True)

config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
for name, value in os.environ.items():
    if name.startswith("MYTRITON_") or name in ("HOME", "LD_LIBRARY_PATH"):
        config.environment[name] = value

# Tests that assemble PTX say `REQUIRES: ptxas` and call %ptxas.
ptxas = os.environ.get("MYTRITON_PTXAS")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
